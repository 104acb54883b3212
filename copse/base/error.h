// The exceptions of the library. A run that does not converge throws none: its result has a StopReason.
#pragma once

#include <stdexcept>
#include <string>

namespace copse {

// The base of all exceptions of the library; what() is a sentence for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller asked for something impossible: a rank of zero, two lengths that differ.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

// A file or a matrix is damaged or of another kind; the sentence names the file and the place.
class InputError : public Error {
 public:
  using Error::Error;
};

// A file could not be written.
class OutputError : public Error {
 public:
  using Error::Error;
};

// Somebody stopped the work before it had a result.
class Cancelled : public Error {
 public:
  Cancelled() : Error("stopped") {}
};

}  // namespace copse
