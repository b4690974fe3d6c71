import Testing

@testable import Reprise

@Suite struct DaemonLocationsTests {
    private static let environment = [
        "STATE_DIRECTORY": "/var/lib/reprise", "XDG_STATE_HOME": "/x/state", "HOME": "/home/me",
        "RUNTIME_DIRECTORY": "/run/reprise", "XDG_RUNTIME_DIR": "/run/user/1000",
    ]

    private func environmentWithout(_ variables: String...) -> [String: String] {
        Self.environment.filter { !variables.contains($0.key) }
    }

    @Test func `the state directory comes from the option, then from the environment`() throws {
        func path(_ option: String?, _ environment: [String: String]) throws -> String {
            try DaemonLocations.stateDirectory(option: option, environment: environment)
        }
        #expect(try path("relative", Self.environment) == "relative")
        #expect(try path(nil, Self.environment) == "/var/lib/reprise")
        #expect(try path(nil, environmentWithout("STATE_DIRECTORY")) == "/x/state/reprise")
        #expect(
            try path(nil, environmentWithout("STATE_DIRECTORY", "XDG_STATE_HOME"))
                == "/home/me/.local/state/reprise")
    }

    @Test
    func `the control socket comes from the option, then the configuration, then the environment`()
        throws
    {
        func path(
            _ option: String?, _ configuredPath: String?, _ environment: [String: String]
        ) throws -> String {
            try DaemonLocations.controlSocket(
                option: option, configuredPath: configuredPath, environment: environment)
        }
        #expect(try path("./s", "/c/s", Self.environment) == "./s")
        #expect(try path(nil, "/c/s", Self.environment) == "/c/s")
        #expect(try path(nil, nil, Self.environment) == "/run/reprise/control")
        #expect(
            try path(nil, nil, environmentWithout("RUNTIME_DIRECTORY"))
                == "/run/user/1000/reprise/control")
    }

    @Test func `the first of several directories is used, without trailing slashes`() throws {
        let environment = ["STATE_DIRECTORY": "/a//:/b", "RUNTIME_DIRECTORY": "/"]
        #expect(
            try DaemonLocations.stateDirectory(option: nil, environment: environment) == "/a")
        #expect(
            try DaemonLocations.controlSocket(
                option: nil, configuredPath: nil, environment: environment) == "/control")
    }

    @Test func `empty variables and variables with relative paths are ignored`() throws {
        let environment = ["STATE_DIRECTORY": "", "XDG_STATE_HOME": "state", "HOME": "/h"]
        #expect(
            try DaemonLocations.stateDirectory(option: nil, environment: environment)
                == "/h/.local/state/reprise")
    }

    @Test func `if no location is set, the error lists the sources that were checked`() {
        #expect(throws: LocationError.noStateDirectory) {
            try DaemonLocations.stateDirectory(option: nil, environment: ["HOME": ""])
        }
        #expect(throws: LocationError.noControlSocket) {
            try DaemonLocations.controlSocket(
                option: nil, configuredPath: nil, environment: ["HOME": "/h"])
        }
        #expect(
            LocationError.noStateDirectory.description
                == "there is no state directory (checked --state-directory, $STATE_DIRECTORY, "
                + "$XDG_STATE_HOME and $HOME): specify one with --state-directory DIR.")
        #expect(
            LocationError.noControlSocket.description
                == "there is no path for the control socket (checked --socket, control.socket "
                + "of the configuration, $RUNTIME_DIRECTORY and $XDG_RUNTIME_DIR): "
                + "specify one with --socket PATH.")
    }

    @Test func `an empty or invalid option is refused, not replaced by the environment`() {
        #expect(throws: LocationError.emptyOption("--state-directory")) {
            try DaemonLocations.stateDirectory(option: "", environment: Self.environment)
        }
        #expect(throws: LocationError.emptyOption("--socket")) {
            try DaemonLocations.controlSocket(
                option: "a\0b", configuredPath: nil, environment: Self.environment)
        }
    }

    @Test func `a socket path of 107 bytes is accepted, and a longer path is refused`() throws {
        let longest = "/" + String(repeating: "s", count: 106)
        #expect(
            try DaemonLocations.controlSocket(
                option: longest, configuredPath: nil, environment: [:]) == longest)
        let error = LocationError.socketPathTooLong(longest + "s")
        #expect(throws: error) {
            try DaemonLocations.controlSocket(
                option: longest + "s", configuredPath: nil, environment: [:])
        }
        #expect(
            error.description
                == "the path of the control socket \(longest)s has 108 bytes, but the maximum is 107: "
                + "specify a shorter path with --socket PATH.")
    }
}
