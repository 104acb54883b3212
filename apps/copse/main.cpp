#include "apps/copse/program.h"

int main(int argc, char** argv) { return copse::Program().run(argc, argv); }
