import LinuxIO
import TestSupport
import Testing

@testable import RepriseWeb

@Suite struct SessionDirectoryTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    /// Returns the path that a server uses, or that a command uses if `unitPath` is not `nil`.
    private func path(_ variables: [String: String], unitPath: String? = nil) -> String? {
        guard let unitPath else { return SessionDirectory { variables[$0] }?.path }
        return SessionDirectory(ofServerOnPort: 8075, { variables[$0] }, unitPath: unitPath)?.path
    }

    @Test func `a server uses its unit's state directory, or the user's runtime directory`() {
        #expect(path(["STATE_DIRECTORY": "/a", "XDG_RUNTIME_DIR": "/b"]) == "/a")
        #expect(path(["STATE_DIRECTORY": "/a:/c"]) == "/a")
        #expect(path(["XDG_RUNTIME_DIR": "/b"]) == "/b/reprise-web")
        #expect(path(["STATE_DIRECTORY": "", "XDG_RUNTIME_DIR": "/b"]) == "/b/reprise-web")
        #expect(path([:]) == nil)
        #expect(path(["STATE_DIRECTORY": "a", "XDG_RUNTIME_DIR": "b"]) == nil)
    }

    @Test func `a command finds the directory of the unit if the unit has used the port`() throws {
        let unit = scratch.file("unit")
        let variables = ["XDG_RUNTIME_DIR": "/b"]
        #expect(path(variables, unitPath: unit) == "/b/reprise-web")
        _ = try Directory.openOrCreate("\(unit)/8076")
        #expect(path(variables, unitPath: unit) == "/b/reprise-web")
        _ = try Directory.openOrCreate("\(unit)/8075")
        #expect(path(variables, unitPath: unit) == unit)
        #expect(path([:], unitPath: unit) == unit)
        #expect(path(["STATE_DIRECTORY": "/a"], unitPath: unit) == "/a")
    }

    @Test func `the servers of different ports have different links`() throws {
        let directory = try #require(
            SessionDirectory { ["STATE_DIRECTORY": scratch.file("state")][$0] })
        let link = try #require(try directory.store(ofPort: 1).makeLink(.ordinary))
        #expect(try directory.store(ofPort: 2).logIn(with: link) == nil)
        #expect(try directory.store(ofPort: 1).logIn(with: link) != nil)
    }
}
