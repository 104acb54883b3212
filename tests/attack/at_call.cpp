// at_call [--kill N | --fail N ERROR] [--deny CALL ERROR]... [--count FILE] -- PROGRAM ARGUMENT...: runs a program and
// kills it as it enters its N-th system call that changes files, or lets that call fail, or every one of a name. FILE
// gets the number of these calls. Linux on x86-64.
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

struct Name {
  const char* name;
  long call;
};
// What can change a name, the bytes of a file or what is on the disk.
constexpr Name calls[] = {{"openat", SYS_openat},       {"open", SYS_open},           {"creat", SYS_creat},
                          {"write", SYS_write},         {"pwrite64", SYS_pwrite64},   {"writev", SYS_writev},
                          {"fsync", SYS_fsync},         {"fdatasync", SYS_fdatasync}, {"rename", SYS_rename},
                          {"renameat", SYS_renameat},   {"renameat2", SYS_renameat2}, {"link", SYS_link},
                          {"linkat", SYS_linkat},       {"symlink", SYS_symlink},     {"symlinkat", SYS_symlinkat},
                          {"unlink", SYS_unlink},       {"unlinkat", SYS_unlinkat},   {"mkdir", SYS_mkdir},
                          {"mkdirat", SYS_mkdirat},     {"rmdir", SYS_rmdir},         {"ftruncate", SYS_ftruncate},
                          {"truncate", SYS_truncate},   {"chmod", SYS_chmod},         {"fchmod", SYS_fchmod},
                          {"fchmodat", SYS_fchmodat},   {"chown", SYS_chown},         {"fchown", SYS_fchown},
                          {"fchownat", SYS_fchownat},   {"flock", SYS_flock},         {"close", SYS_close},
                          {"fallocate", SYS_fallocate}, {"ioctl", SYS_ioctl}};
constexpr Name errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINVAL", EINVAL}, {"ENOSYS", ENOSYS},
                           {"EACCES", EACCES}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS},   {"EPERM", EPERM},
                           {"EXDEV", EXDEV},   {"EMFILE", EMFILE}};

template <std::size_t count>
long find(const Name (&list)[count], const char* name) {
  for (const Name& entry : list) {
    if (std::strcmp(entry.name, name) == 0) return entry.call;
  }
  std::fprintf(stderr, "at_call: %s is not known\n", name);
  std::exit(2);
}

struct Plan {
  long kill_at = -1, fail_at = -1, error = 0;
  std::map<long, long> denied;
  const char* count_file = nullptr;
};

bool changes_files(const user_regs_struct& registers) {
  const auto call = static_cast<long>(registers.orig_rax);
  // The first call that counts makes the first name: what comes before reads only.
  if (call == SYS_openat) return (registers.rdx & (O_CREAT | O_TRUNC)) != 0;
  if (call == SYS_open) return (registers.rsi & (O_CREAT | O_TRUNC)) != 0;
  if (call == SYS_close || call == SYS_ioctl || call == SYS_flock) return false;
  if (call == SYS_write || call == SYS_writev) return registers.rdi > 2;  // not the words on a terminal
  for (const Name& entry : calls) {
    if (entry.call == call) return true;
  }
  return false;
}

int trace(pid_t child, const Plan& plan) {
  std::map<pid_t, bool> inside;     // between the entry of a call and its end
  std::map<pid_t, long> to_return;  // what a call that was left out is to give
  long count = 0;
  int code = 0;
  int status = 0;
  ::waitpid(child, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, child, 0,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL);
  ::ptrace(PTRACE_SYSCALL, child, 0, 0);
  for (;;) {
    const pid_t thread = ::waitpid(-1, &status, __WALL);
    if (thread < 0) break;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == child) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    long signal = 0;
    if (WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      user_regs_struct registers{};
      ::ptrace(PTRACE_GETREGS, thread, 0, &registers);
      bool& entered = inside[thread];
      entered = !entered;
      if (entered) {
        long error = 0;
        if (changes_files(registers)) {
          ++count;
          if (count == plan.kill_at) {
            ::kill(child, SIGKILL);
          } else if (count == plan.fail_at) {
            error = plan.error;
          }
        }
        const auto denied = plan.denied.find(static_cast<long>(registers.orig_rax));
        if (denied != plan.denied.end()) error = denied->second;
        if (error != 0) {
          registers.orig_rax = static_cast<unsigned long long>(-1);  // no such call: the kernel does nothing
          ::ptrace(PTRACE_SETREGS, thread, 0, &registers);
          to_return[thread] = -error;
        }
      } else if (const auto left_out = to_return.find(thread); left_out != to_return.end()) {
        registers.rax = static_cast<unsigned long long>(left_out->second);
        ::ptrace(PTRACE_SETREGS, thread, 0, &registers);
        to_return.erase(left_out);
      }
    } else if (WIFSTOPPED(status) && (status >> 16) == 0) {
      signal = WSTOPSIG(status);
      if (signal == SIGSTOP) signal = 0;  // how a new thread reports
    }
    ::ptrace(PTRACE_SYSCALL, thread, 0, signal);
  }
  if (plan.count_file != nullptr) {
    std::FILE* file = std::fopen(plan.count_file, "w");
    if (file == nullptr || std::fprintf(file, "%ld\n", count) < 0 || std::fclose(file) != 0) return 2;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
    const std::string option = argv[at];
    if (option == "--kill" && at + 1 < argc) {
      plan.kill_at = std::atol(argv[++at]);
    } else if (option == "--fail" && at + 2 < argc) {
      plan.fail_at = std::atol(argv[++at]);
      plan.error = find(errors, argv[++at]);
    } else if (option == "--count" && at + 1 < argc) {
      plan.count_file = argv[++at];
    } else if (option == "--deny" && at + 2 < argc) {
      const long call = find(calls, argv[++at]);
      plan.denied[call] = find(errors, argv[++at]);
    } else {
      at = argc;
    }
  }
  if (at + 1 >= argc) {
    std::fprintf(stderr,
                 "usage: at_call [--kill N | --fail N ERROR] [--deny CALL ERROR]... [--count FILE] -- "
                 "PROGRAM ARGUMENT...\n");
    return 2;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) {
      std::perror("at_call: ptrace");
      ::_exit(2);
    }
    ::execvp(argv[at + 1], argv + at + 1);
    std::perror(argv[at + 1]);
    ::_exit(127);
  }
  return trace(child, plan);
}
