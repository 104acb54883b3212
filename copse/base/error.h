// What the library throws. Not converging is not among them: that is a StopReason.
#pragma once

#include <stdexcept>
#include <string>

namespace copse {

// Every exception of the library, with a sentence for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller asked for something that cannot be: a rank of zero, two lengths that differ.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

// A file or a matrix is not what it should be; the sentence names the file and the place.
class InputError : public Error {
 public:
  using Error::Error;
};

// A file could not be written.
class OutputError : public Error {
 public:
  using Error::Error;
};

// Work was stopped from outside; what had been computed is incomplete.
class Cancelled : public Error {
 public:
  Cancelled() : Error("stopped") {}
};

}  // namespace copse
