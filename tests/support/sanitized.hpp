// SPDX-License-Identifier: Apache-2.0
// TTUNE_TEST_SANITIZED: true in builds with an address or thread sanitizer.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TTUNE_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TTUNE_TEST_SANITIZED 1
#endif
#endif
#ifndef TTUNE_TEST_SANITIZED
#define TTUNE_TEST_SANITIZED 0
#endif
