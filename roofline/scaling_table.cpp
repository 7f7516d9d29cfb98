// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/scaling_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepcast {

namespace {

Cell empty() { return {std::monostate{}, std::nullopt}; }
Cell time_ms(Seconds time, Origin origin) { return {time.count() * 1e3, origin}; }

std::optional<RealStep> real_step(const ScalingRow& row, const Case& predicted,
                                  const RealSteps& real, std::string_view mode) {
  return real.find({predicted.model.name, name(predicted.recipe.precision),
                    name(predicted.recipe.layout), row.batch, row.ranks, predicted.recipe.ddp},
                   mode);
}

std::vector<Column> scaling_columns(bool with_real) {
  return {{"scaling", "scaling", 0, false, false, false},
          {"ranks", "ranks"},
          {"batch/GPU", "batch_per_gpu"},
          {"forward", "forward_ms", 2, false, true},
          {"backward", "backward_ms", 2, false, true},
          {"exposed comm", "exposed_ms", 2, false, true},
          {"copy-out", "finalize_ms", 2, false, true},
          {"optimizer", "optimizer_ms", 2, false, true},
          {"step", "step_ms", 2, false, true},
          {"null step", "null_step_ms", 2},
          {"img/s", "images_per_s", 0},
          {"efficiency", "efficiency", 1, true},
          {"bound by", "bound_by"},
          {"share", "bound_share", 0, true},
          {"real graph", "real_graph_step_ms", 2, false, false, with_real},
          {"error", "graph_error", 1, true, false, with_real},
          {"real eager", "real_eager_step_ms", 2, false, false, with_real},
          {"error", "eager_error", 1, true, false, with_real},
          {"", "note"}};
}

/// forward, backward, exposed, copy-out, optimizer, step.
void add_parts(const Step& step, const ScalingRow& row, bool ddp, std::vector<Cell>& cells) {
  const Timeline& timeline = step.timeline;
  const auto origin = [&step](Phase phase) {
    return step.phase_origin[static_cast<std::size_t>(phase)];
  };
  cells.push_back(time_ms(timeline.forward, origin(Phase::forward)));
  cells.push_back(time_ms(timeline.backward, origin(Phase::backward)));
  // One rank exposes nothing by definition, so there is no origin to tell.
  cells.push_back(row.ranks > 1 ? time_ms(timeline.exposed, step.exposed_origin)
                                : number_cell(timeline.exposed.count() * 1e3));
  cells.push_back(ddp ? time_ms(timeline.finalize, origin(Phase::finalize))
                      : number_cell(timeline.finalize.count() * 1e3));
  cells.push_back(time_ms(timeline.optimizer, origin(Phase::optimizer)));
  cells.push_back(time_ms(timeline.step, step.origin));
}

void add_real(const ScalingRow& row, const Case& predicted, const RealSteps& real, const Step* step,
              std::vector<Cell>& cells) {
  for (const std::string_view mode : {"graph", "eager"}) {
    const auto found = real_step(row, predicted, real, mode);
    cells.push_back(found ? number_cell(found->step.count() * 1e3) : empty());
    cells.push_back(found && step != nullptr ? number_cell(step->timeline.step / found->step - 1)
                                             : empty());
  }
}

std::vector<Cell> scaling_row(const ScalingRow& row, const Case& predicted, const RealSteps& real) {
  const auto* step = std::get_if<Step>(&row.step);
  std::vector<Cell> cells{word_cell(row.kind == Scaling::weak ? "weak" : "strong"),
                          whole_cell(row.ranks), whole_cell(row.batch)};
  if (step == nullptr) {
    cells.insert(cells.end(), 6, empty());
  } else {
    add_parts(*step, row, predicted.recipe.ddp, cells);
  }
  cells.push_back(row.null_step ? number_cell(row.null_step->count() * 1e3) : empty());
  if (step == nullptr) {
    cells.insert(cells.end(), 4, empty());
  } else {
    const auto images = static_cast<double>(row.ranks * row.batch);
    const Dominant most = dominant(*step);
    cells.push_back(number_cell(images / step->timeline.step.count()));
    cells.push_back(row.efficiency ? number_cell(*row.efficiency) : empty());
    cells.push_back(word_cell(most.name));
    cells.push_back(number_cell(most.share));
  }
  add_real(row, predicted, real, step, cells);
  const auto* reason = std::get_if<std::string>(&row.step);
  cells.push_back(word_cell(reason == nullptr ? "" : *reason));
  return cells;
}

}  // namespace

Table scaling_table(const std::vector<ScalingRow>& rows, const Case& predicted,
                    const RealSteps& real, bool with_real) {
  Table table{"", scaling_columns(with_real), {}};
  for (const ScalingRow& row : rows) table.rows.push_back(scaling_row(row, predicted, real));
  return table;
}

bool any_real(const std::vector<ScalingRow>& rows, const Case& predicted, const RealSteps& real) {
  return std::any_of(rows.begin(), rows.end(), [&](const ScalingRow& row) {
    return real_step(row, predicted, real, "graph") || real_step(row, predicted, real, "eager");
  });
}

}  // namespace stepcast
