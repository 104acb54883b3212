// PROGRAM SECONDS [SEED]: a fuzzer without Clang. Feeds it random bytes for so long; names the seed of each input on
// stderr when it crashes, and SEED alone repeats it.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

unsigned long current = 0;

void tell() {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "crashed with the seed %lu\n", current);
  if (::write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) ::_exit(3);
}

void on_signal(int number) {
  tell();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run(unsigned long seed) {
  current = seed;
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(random() % 64);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(number, on_signal);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  if (argc > 2) {
    run(std::strtoul(argv[2], nullptr, 10));
    return 0;
  }
  const auto start = std::chrono::steady_clock::now();
  unsigned long tried = 0;
  do {
    ::alarm(60);  // an input that takes so long is a finding
    run(tried++);
  } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds);
  std::printf("%lu\n", tried);
}
