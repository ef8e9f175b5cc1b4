// SPDX-License-Identifier: Apache-2.0
// A cluster of Slurm with one node, this machine: its two daemons run as this user, with files in a temporary folder.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "support/temporary_folder.hpp"

namespace ttune_test {

/// Starts the daemons, and names the cluster in the environment, so that `srun` finds it. The destructor ends them;
/// they end after two minutes in any case.
class slurm_node {
 public:
  slurm_node() {
    if (std::system("(command -v srun && command -v slurmctld && command -v slurmd) > /dev/null 2>&1") != 0) {
      reason_ = "Slurm is not installed (slurmctld slurmd slurm-client)";
      return;
    }
    for (auto const* name : {"state", "spool"}) std::filesystem::create_directory(folder_ / name);
    std::ofstream(folder_ / "slurm.conf") << configuration();
    ::setenv("SLURM_CONF", (folder_ / "slurm.conf").c_str(), 1);
    start("slurmctld");
    start("slurmd");
    constexpr auto most = std::chrono::seconds(30);
    for (auto const begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < most;) {
      if (std::system("timeout 5 srun -n 1 true > /dev/null 2>&1") == 0) return;
      if (last_line("slurmd").find("initialization failed") != std::string::npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
    reason_ = "Slurm's daemons do not run here: " + last_line("slurmctld") + "; " + last_line("slurmd");
  }
  slurm_node(slurm_node const&) = delete;
  slurm_node& operator=(slurm_node const&) = delete;
  ~slurm_node() {
    if (reason_.empty()) await_steps();
    for (auto const* name : {"slurmd", "slurmctld"}) end(name);
    ::unsetenv("SLURM_CONF");
  }

  /// Returns why `srun` runs nothing; empty if it does.
  [[nodiscard]] std::string const& failure() const noexcept { return reason_; }

 private:
  /// Returns a port that nobody listens on.
  static std::string free_port() {
    int const s = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    bool const found = ::bind(s, address, size) == 0 && ::getsockname(s, address, &size) == 0;
    ::close(s);
    return std::to_string(found ? ntohs(at.sin_port) : 0);
  }

  [[nodiscard]] std::string configuration() const {
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    std::string const name = std::string(host).substr(0, std::string(host).find('.'));
    auto const* const user = ::getpwuid(::geteuid());
    std::string const me = user ? user->pw_name : "root";
    std::string made = "ClusterName=ttune\nSlurmctldHost=" + name + "(127.0.0.1)\nSlurmUser=" + me +
                       "\nSlurmdUser=" + me + "\nSlurmctldPort=" + free_port() + "\nSlurmdPort=" + free_port() +
                       "\nAuthType=auth/none\nCredType=cred/none\nMpiDefault=none\nProctrackType=proctrack/linuxproc\n"
                       "TaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\nSelectType=select/linear\n"
                       "ReturnToService=2\n";
    made += "StateSaveLocation=" + (folder_ / "state") + "\nSlurmdSpoolDir=" + (folder_ / "spool") + "\n";
    made += "SlurmctldPidFile=" + (folder_ / "slurmctld.pid") + "\nSlurmdPidFile=" + (folder_ / "slurmd.pid") + "\n";
    return made + "NodeName=" + name + " NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN\n" +
           "PartitionName=all Nodes=ALL Default=YES State=UP\n";
  }

  /// Waits until the processes that watch over jobs have reported their ends: without the daemons they would try for
  /// ever.
  static void await_steps() {
    for (int i = 0; i < 30 && std::system("test -z \"$(squeue --noheader)\"") != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  void start(std::string const& name) const {
    auto const files = folder_ / name;
    auto const command = "timeout 120 " + name + " -D > " + files + ".log 2>&1 & echo $! > " + files + ".waits";
    if (std::system(command.c_str()) != 0) std::ofstream(files + ".log") << "it was not started";
  }
  void end(std::string const& name) const {
    long process = 0;
    std::ifstream((folder_ / name) + ".waits") >> process;
    if (process > 1) ::kill(static_cast<pid_t>(process), SIGTERM);  // `timeout` passes it on
  }
  [[nodiscard]] std::string last_line(std::string const& name) const {
    std::string line, last;
    for (std::ifstream in((folder_ / name) + ".log"); std::getline(in, line);) last = line;
    return last;
  }

  temporary_folder folder_;
  std::string reason_;
};

}  // namespace ttune_test
