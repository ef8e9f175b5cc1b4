#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All that needs an NVIDIA GPU, in one go: the tests that skip without one, then the suites, whose tables and JSON lines
# lie in the folder that is named (build/gpu).
#
#   bench/gpu.sh [FOLDER] [--quick]     --quick: 64 trials a case, for a first look
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=build/gpu trials=1000 seconds=600
for word in "$@"; do
  case $word in
    --quick) trials=64 seconds=60 ;;
    -*) echo "gpu.sh: no option $word" >&2; exit 2 ;;
    *) out=$word ;;
  esac
done
mkdir -p "$out"

if ! nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader | tee "$out/device.txt"; then
  echo "gpu.sh: no NVIDIA GPU answers: nothing to measure"
  exit 77
fi

status=0
TTUNE_REQUIRE=cuda,nvrtc ./dev test --gcc unit 2>&1 | tee "$out/tests.txt" || status=1
declare -A modes=([gpu-gemm]="f32 tf32 f16 f16_mma bf16" [gpu-conv]="f32 tf32" [gpu-fused]="f32 tf32")
for suite in gpu-gemm gpu-conv gpu-fused; do
  for mode in ${modes[$suite]}; do
    # as cuDNN's best, convolutions may be Winograd's
    ./dev bench "$suite" --mode "$mode" --numerics 2.5 --trials "$trials" --budget "$seconds" --json "$out/$suite.json" 2>&1 |
      tee "$out/$suite-$mode.txt" || status=1
  done
done
./dev bench gpu-report --trials $((2 * trials)) --budget "$seconds" 2>&1 | tee "$out/gpu-report.txt" || status=1
exit $status
