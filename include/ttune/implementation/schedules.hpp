// SPDX-License-Identifier: Apache-2.0
// One of six parts of the engine's bodies: schedules, and spaces of schedules and how they are derived.
// A program may compile each part in a file of its own, side by side, instead of all in the file that defines
// TTUNE_IMPLEMENTATION.
#pragma once

#include "ttune/autoschedule/derive_space.inl.hpp"
#include "ttune/feature/autotvm.inl.hpp"
#include "ttune/feature/block.inl.hpp"
#include "ttune/feature/chain.inl.hpp"
#include "ttune/feature/feature_extractor.inl.hpp"
#include "ttune/loop_nest/instantiate.inl.hpp"
#include "ttune/roof/count_work.inl.hpp"
#include "ttune/roof/judge.inl.hpp"
#include "ttune/schedule/plan.inl.hpp"
#include "ttune/schedule/primitive/all.inl.hpp"
#include "ttune/schedule/schedule_builder.inl.hpp"
#include "ttune/schedule/to_cpp.inl.hpp"
#include "ttune/space/constraint.inl.hpp"
#include "ttune/space/factors.inl.hpp"
#include "ttune/space/knob_adjacency.inl.hpp"
#include "ttune/space/sampler.inl.hpp"
#include "ttune/space/solver/constraint_automaton.inl.hpp"
#include "ttune/space/solver/decision_diagram.inl.hpp"
#include "ttune/space/solver/partial_evaluator.inl.hpp"
#include "ttune/support/shared_library.inl.hpp"
