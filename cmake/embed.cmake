# cmake -DPAGE=FILE -DOUTPUT=FILE -P embed.cmake: the bytes of PAGE as the C++ function page_template(); without PAGE, none.
set(bytes "")
if(PAGE)
  file(READ "${PAGE}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
endif()
file(
  WRITE "${OUTPUT}"
  "#include \"copse/report/page_template.h\"

namespace copse {
namespace {
constexpr unsigned char bytes[] = {
${bytes}0};
}  // namespace

std::string_view page_template() { return {reinterpret_cast<const char*>(bytes), sizeof bytes - 1}; }

}  // namespace copse
")
