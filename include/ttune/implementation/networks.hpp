// SPDX-License-Identifier: Apache-2.0
// One of six parts of the engine's bodies: networks; a program that tunes none needs no such file.
// A program may compile each part in a file of its own, side by side, instead of all in the file that defines
// TTUNE_IMPLEMENTATION.
#pragma once

#include "ttune/network/copy_program.inl.hpp"
#include "ttune/network/evaluate.inl.hpp"
#include "ttune/network/graph.inl.hpp"
#include "ttune/network/in_doubles.inl.hpp"
#include "ttune/network/join_elementwise.inl.hpp"
#include "ttune/network/join_tensors.inl.hpp"
#include "ttune/network/layout_problem.inl.hpp"
#include "ttune/network/memory_plan.inl.hpp"
#include "ttune/network/network_records.inl.hpp"
#include "ttune/network/network_report.inl.hpp"
#include "ttune/network/network_search.inl.hpp"
#include "ttune/network/network_search_choice.inl.hpp"
#include "ttune/network/network_search_records.inl.hpp"
#include "ttune/network/network_steps.inl.hpp"
#include "ttune/network/network_text.inl.hpp"
#include "ttune/network/network_workloads.inl.hpp"
#include "ttune/network/output_error.inl.hpp"
#include "ttune/network/pbqp.inl.hpp"
#include "ttune/network/pbqp_graph.inl.hpp"
#include "ttune/network/settle_roles.inl.hpp"
#include "ttune/network/share_programs.inl.hpp"
#include "ttune/network/task_scheduler.inl.hpp"
#include "ttune/network/tune_network.inl.hpp"
#include "ttune/network/tuned_network.inl.hpp"
