// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
// stepcast: predicts a training step and its scaling from measured pieces.

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include "core/error.hpp"
#include "roofline/commands/command.hpp"

namespace {

constexpr int kUsage = 2;
constexpr int kData = 3;
constexpr int kUnforeseen = 1;

/// The command that is missing or unknown, of this parser or of the one that was reached.
std::string command_text(const CLI::App& app, int argc, char** argv) {
  const CLI::App* reached = &app;
  for (int i = 1; i < argc; ++i) {
    const auto parsed = reached->get_subcommands();
    if (!parsed.empty() && argv[i] == parsed.front()->get_name()) {
      reached = parsed.front();
    } else if (argv[i][0] != '-') {
      return std::string(argv[i]) + ": no such command of '" + reached->get_name() + "'";
    }
  }
  return reached->get_name() + ": a command is missing";
}

/// CLI11's own text, with what it is about brought to the front as in all our usage errors.
std::string usage_text(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string text = error.what();
  if (text.find("ubcommand") != std::string::npos) return command_text(app, argc, argv);
  const bool unexpected = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  for (int i = 1; unexpected && i < argc; ++i) {
    const std::string word = argv[i];
    if (text.find(" " + word) != std::string::npos) return word + ": not understood here";
  }
  return text;
}

/// Errors: DataError if what was printed did not arrive, as on a full disk.
void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw stepcast::DataError("stdout: cannot be written: " + std::generic_category().message(errno));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Predicts a data-parallel training step, and how it scales, from times measured piece by "
      "piece."};
  app.name("stepcast");
  app.set_version_flag("--version", "stepcast " STEPCAST_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  stepcast predict h200-sxm --model resnet152 --precision bf16 --batch 128\n"
      "  stepcast measure --out profiles/mybox --quick\n"
      "\n"
      "'stepcast COMMAND --help' has the options and examples of each.");
  const std::array commands{stepcast::make_predict(app), stepcast::make_measure(app),
                            stepcast::make_import(app), stepcast::make_validate(app),
                            stepcast::make_list(app)};
  try {
    app.parse(argc, argv);
    for (const stepcast::Command& command : commands) {
      if (!command.parser->parsed()) continue;
      const int code = command.run();
      flush_output();
      return code;
    }
    return kUnforeseen;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << usage_text(app, error, argc, argv) << "\n('--help' shows what is understood)\n";
    return kUsage;
  } catch (const stepcast::Error& error) {
    std::cerr << error.what() << '\n';
    return error.exit_code();
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << error.path1().string() << ": " << error.code().message() << '\n';
    return kData;
  } catch (const std::system_error& error) {  // of fmt, which prints to stdout alone
    std::cerr << "stdout: cannot be written: " << error.code().message() << '\n';
    return kData;
  } catch (const std::exception& error) {
    std::cerr << "stepcast: " << error.what() << '\n';
    return kUnforeseen;
  }
}
