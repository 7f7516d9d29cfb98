// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
// stepcast: predicts a training step and its scaling from measured pieces.

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <iostream>
#include <string>

#include "core/error.hpp"
#include "roofline/commands/command.hpp"

namespace {

constexpr int kUsage = 2;
constexpr int kUnforeseen = 1;

/// CLI11's own text with the option brought to the front, as in all our usage errors.
std::string usage_text(const CLI::ParseError& error) {
  std::string text = error.what();
  for (const std::string prefix :
       {"Could not convert: ", "The following argument was not expected: ",
        "The following arguments were not expected: "}) {
    if (text.rfind(prefix, 0) != 0) continue;
    const std::string said = prefix[0] == 'C' ? ": not a value of that kind" : ": not expected";
    return text.substr(prefix.size()) + said;
  }
  return text;
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
                            stepcast::make_import(app), stepcast::make_list(app)};
  try {
    app.parse(argc, argv);
    for (const stepcast::Command& command : commands) {
      if (command.parser->parsed()) return command.run();
    }
    return kUnforeseen;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "stepcast: " << usage_text(error) << "\n'--help' shows what is understood\n";
    return kUsage;
  } catch (const stepcast::Error& error) {
    std::cerr << "stepcast: " << error.what() << '\n';
    return error.exit_code();
  } catch (const std::exception& error) {
    std::cerr << "stepcast: " << error.what() << '\n';
    return kUnforeseen;
  }
}
