# Installation.
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
