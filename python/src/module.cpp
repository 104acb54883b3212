// copse._copse: converts, calls the library and translates its errors. Everything a person meets is in Python.
#include "copse/base/error.h"
#include "python/src/bind.h"
#include "python/src/rivals.h"
#include "python/src/settings.h"

NB_MODULE(_copse, module) {
  namespace nb = nanobind;
  using namespace copse;
  module.attr("__version__") = COPSE_VERSION;
  nb::set_leak_warnings(false);  // a traceback that a notebook keeps is no leak of ours
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Cancelled&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const OutputError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_ValueError, python::in_python(error.what()).c_str());
    }
  });
  python::bind_threads(module);
  python::bind_settings(module);
  python::bind_items(module);
  python::bind_text(module);
  python::bind_flat_results(module);
  python::bind_tree_results(module);
  python::bind_graphs(module);
  python::bind_survey(module);
  python::bind_images(module);
  python::bind_results(module);
  python::bind_data(module);
  python::bind_clusters(module);
  python::bind_comparison(module);
  python::bind_methods(module);
  python::bind_rivals(module);
}
