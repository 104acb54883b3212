// The exceptions of the library. A run that does not converge throws none: its result has a StopReason.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

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

// An option that cannot be used so. what() calls it by the name of its field; a front end spells it as it does itself.
class WrongOption : public InvalidArgument {
 public:
  WrongOption(std::string option, std::string reason)
      : InvalidArgument("`" + option + "`: " + reason), option_(std::move(option)), reason_(std::move(reason)) {}
  const std::string& option() const { return option_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string option_, reason_;
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
