// The option of commands that can compute on an accelerator.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace copse {

inline void add_device(CLI::App& command, std::string& device, bool& explain) {
  command
      .add_option(
          "--device", device,
          "Accelerator for the products with a sparse matrix: opencl or opencl:N, as copse devices lists them; a "
          "note tells the time beside the model's")
      ->type_name("NAME")
      ->group("Machine");
  command
      .add_flag("--explain", explain,
                "Plan the run first, as copse plan does, and note what was planned beside what it took: memory, time "
                "of the solver or of the device, bytes read and sent")
      ->group("Machine");
}

}  // namespace copse
