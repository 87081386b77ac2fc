// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fmt.cpp - the compiled part of fmt. Debian has it as a shared library and as
// headers, but not as an archive.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template locale_ref::locale_ref(const std::locale &);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char *, const char *);
template void vformat_to(buffer<char> &, string_view,
                         basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                         locale_ref);
} // namespace detail
FMT_END_NAMESPACE
