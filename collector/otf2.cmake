# Finds libotf2 for the assembler and the converter, as PkgConfig::OTF2.
option(HOPSCOPE_STATIC_OTF2 "Link libotf2's static library, for a wheel" OFF)

find_package(PkgConfig REQUIRED)
pkg_check_modules(OTF2 IMPORTED_TARGET otf2)
if(NOT OTF2_FOUND)
  message(FATAL_ERROR "pkg-config finds no otf2. Install libotf2 with its development files (Debian: "
                      "libopen-trace-format2-dev), or name the folder of its otf2.pc in PKG_CONFIG_PATH.")
endif()

if(HOPSCOPE_STATIC_OTF2)
  string(REGEX REPLACE "\\.so$" ".a" archive "${OTF2_LINK_LIBRARIES}")
  if(NOT archive MATCHES "\\.a$" OR NOT EXISTS "${archive}")
    message(FATAL_ERROR "found no static library beside ${OTF2_LINK_LIBRARIES}; build OTF2 with --enable-static")
  endif()
  # Hidden: the process may have another libotf2, as Python's otf2 package or in Score-P.
  set_target_properties(PkgConfig::OTF2 PROPERTIES INTERFACE_LINK_LIBRARIES "${archive};m"
                                                   INTERFACE_LINK_OPTIONS "LINKER:--exclude-libs,ALL")
endif()
