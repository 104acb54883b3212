// copse devices: the accelerators that OpenCL finds, and what they measure.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/engines/opencl/opencl.h"

namespace copse {
namespace {

constexpr const char* devices_description =
    "the accelerators of this machine and what they measure\n"
    "Lists the OpenCL devices, with their memory and the bytes per second of three things: their memory, sparse "
    "matrices read by the kernel of the products, and the way to and from them. `copse factor --device opencl:N` runs "
    "on number N.";

constexpr const char* devices_examples =
    "All devices:\n"
    "  copse devices\n"
    "For a script:\n"
    "  copse devices --json | jq .devices[0].name";

int run(const OutputOptions& output) {
  Terminal terminal(output.quiet);
  nlohmann::ordered_json all = {{"opencl", opencl_is_built()}, {"devices", nlohmann::ordered_json::array()}};
  std::string table;
  for (const OpenClDevice& device : opencl_devices()) {
    terminal.show(fmt::format("measuring {} ...", device.name));
    const OpenClSpeed speed = measure_opencl(device.number);
    all["devices"].push_back({{"device", fmt::format("opencl:{}", device.number)},
                              {"name", device.name},
                              {"platform", device.platform},
                              {"kind", device.kind},
                              {"memory_bytes", device.memory},
                              {"largest_buffer_bytes", device.largest_buffer},
                              {"cache_bytes", device.cache},
                              {"units", device.units},
                              {"double_precision", device.double_precision},
                              {"bytes_per_second",
                               {{"memory", speed.memory},
                                {"sparse", speed.sparse},
                                {"to_device", speed.to_device},
                                {"from_device", speed.from_device}}}});
    table += fmt::format(
        "opencl:{}  {} ({}, {}), {:.1f} GB, {} units{}\n"
        "          memory {:.1f} GB/s, sparse {:.1f} GB/s, to it {:.1f} GB/s, from it {:.1f} GB/s\n",
        device.number, device.name, device.kind, device.platform, device.memory / 1e9, device.units,
        device.double_precision ? "" : ", no double precision", speed.memory / 1e9, speed.sparse / 1e9,
        speed.to_device / 1e9, speed.from_device / 1e9);
  }
  if (output.json) {
    print_json(all.dump(2));
  } else if (!table.empty()) {
    print_data(table);
  } else {
    terminal.say(opencl_is_built() ? "OpenCL finds no device: no driver is installed."
                                   : "this copse was built without OpenCL; a build with ocl-icd-opencl-dev and "
                                     "opencl-clhpp-headers has it.");
  }
  return 0;
}

}  // namespace

void add_devices(Program& program) {
  auto output = std::make_shared<OutputOptions>();
  program.add("devices", devices_description, devices_examples, [output] { return run(*output); })
      .add(*output, only(rows<OutputOptions>(), {"json", "quiet"}));
}

}  // namespace copse
