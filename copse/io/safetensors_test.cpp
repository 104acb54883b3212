#include "copse/io/safetensors.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "copse/base/error.h"

namespace copse {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SafeTensorsTest : public ::testing::Test {
 protected:
  SafeTensorsTest() {
    std::string name = (fs::temp_directory_path() / "copse_safetensors_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "model.safetensors";
  }
  ~SafeTensorsTest() override { fs::remove_all(folder_); }

  void write(std::span<const TensorView> tensors, const std::map<std::string, std::string>& metadata = {}) {
    OutputFile file(path_);
    write_safetensors(file, tensors, metadata);
    file.commit();
  }
  void write_raw(std::uint64_t length, const std::string& rest) {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), sizeof(length));
    file << rest;
  }
  std::string refusal() {
    try {
      read_safetensors(path_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  // What reading says about a file with this header and these bytes behind it.
  std::string refusal(const std::string& header, const std::string& rest = "") {
    write_raw(header.size(), header + rest);
    return refusal();
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(SafeTensorsTest, ReadsBackWhatItWrote) {
  const std::vector<float> w = {1, 2, 3, 4, 5, 6};
  const std::vector<double> baseline = {0.5};
  const std::vector<std::int64_t> offsets = {0, -1};
  const std::vector<std::uint8_t> bytes = {7, 8, 9};
  const std::vector<float> empty;
  const std::map<std::string, std::string> metadata = {{"solver", "hals"}, {"say", "\"quoted\" \xC3\xA9"}};
  write(std::vector<TensorView>{{"bytes", {3}, bytes},
                                {"w", {3, 2}, w},
                                {"baseline", {1}, baseline},
                                {"offsets", {2}, offsets},
                                {"empty", {0, 5}, empty}},
        metadata);
  const SafeTensors read = read_safetensors(path_);
  EXPECT_EQ(read.metadata, metadata);
  ASSERT_EQ(read.tensors.size(), 5u);
  EXPECT_THAT(read.tensors.at("w").shape, ElementsAre(3, 2));
  EXPECT_THAT(std::get<Buffer<float>>(read.tensors.at("w").values), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(std::get<Buffer<double>>(read.tensors.at("baseline").values), ElementsAre(0.5));
  EXPECT_THAT(std::get<Buffer<std::int64_t>>(read.tensors.at("offsets").values), ElementsAre(0, -1));
  EXPECT_THAT(std::get<Buffer<std::uint8_t>>(read.tensors.at("bytes").values), ElementsAre(7, 8, 9));
  EXPECT_THAT(read.tensors.at("empty").shape, ElementsAre(0, 5));
}

TEST_F(SafeTensorsTest, HeaderEndsOnAMultipleOfEight) {
  const std::vector<float> w = {1};
  write(std::vector<TensorView>{{"w", {1}, w}});
  std::ifstream file(path_, std::ios::binary);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof(length));
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(fs::file_size(path_), 8 + length + sizeof(float));
}

TEST_F(SafeTensorsTest, RefusesToWriteNonsense) {
  const std::vector<float> w = {1, 2};
  EXPECT_THROW(write(std::vector<TensorView>{{"w", {3}, w}}), InvalidArgument);
  EXPECT_THROW(write(std::vector<TensorView>{{"w", {2}, w}, {"w", {2}, w}}), InvalidArgument);
  EXPECT_THROW(write(std::vector<TensorView>{{"w", {Index(1) << 40, Index(1) << 40}, w}}), InvalidArgument);
}

TEST_F(SafeTensorsTest, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(refusal(), HasSubstr("model.safetensors"));
  write_raw(1u << 30, "{}");
  EXPECT_THAT(refusal(), HasSubstr("announce a header of 1073741824 bytes"));
  EXPECT_THAT(refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal("{\"w\": 3}"), HasSubstr("\"w\" a dtype, a shape"));
  EXPECT_THAT(refusal(R"({"w":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})", "xx"), HasSubstr("type BF16"));
  EXPECT_THAT(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"), HasSubstr("outside"));
  EXPECT_THAT(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "12345678"), HasSubstr("outside"));
  EXPECT_THAT(refusal(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "12345678"), HasSubstr("8 bytes"));
  EXPECT_THAT(refusal(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234"), HasSubstr("4 bytes"));
  EXPECT_THAT(refusal(R"({"w":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
              HasSubstr("0 bytes"));
  std::ofstream(path_) << "short";
  EXPECT_THAT(refusal(), HasSubstr("only 5 bytes"));
}

TEST_F(SafeTensorsTest, StringsMayHoldAnyByte) {
  const std::vector<std::string> names = {"plain", "", "two\nlines", std::string("a\0b", 3), "\xFF"};
  const PackedStrings packed = pack_strings(names);
  EXPECT_EQ(unpack_strings(packed.bytes, packed.offsets), names);
  EXPECT_THAT(unpack_strings({}, pack_strings({}).offsets), ElementsAre());
  const std::vector<std::int64_t> falling = {0, 4, 2, 5};
  const std::vector<std::uint8_t> five(5);
  EXPECT_THROW(unpack_strings(five, falling), InputError);
  EXPECT_THROW(unpack_strings(five, std::vector<std::int64_t>{0, 6}), InputError);
}

}  // namespace
}  // namespace copse
