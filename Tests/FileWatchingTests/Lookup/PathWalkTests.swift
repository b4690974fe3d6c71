import Glibc
import SystemPackage
import Testing

@testable import FileWatching

/// Walks along a path without watches.
@Suite struct PathWalkTests {
    private func steps(_ path: FilePath, intoDirectory: Bool = false) throws -> [String] {
        try PathWalk.follow(path, intoDirectory: intoDirectory) { _, _ in true }
            .steps.map { "\($0.kind) \($0.name)" }
    }

    @Test func `every path component is looked up, and every link is followed`() async throws {
        try await Scratch.with { scratch in
            try scratch.run(
                "mkdir -p a/b; ln -s b a/c; echo > a/b/real; ln -s ../c/./real a/b/link")
            let above = scratch.directory.components.map { "directory \($0)" }
            #expect(
                try steps(scratch.path("a/c/link")) == above
                    + [
                        "directory a", "link c", "directory b", "link link", "link c",
                        "directory b",
                        "end real",
                    ])
            #expect(
                try steps(scratch.path("a/c"), intoDirectory: true)
                    == above + ["directory a", "link c", "directory b"])
            #expect(try steps(scratch.path("a/d/e")) == above + ["directory a", "deadEnd d"])
            #expect(try steps(scratch.path("a/d")) == above + ["directory a", "end d"])
            #expect(
                try steps(scratch.path("a/b/real/x"))
                    == above + ["directory a", "directory b", "deadEnd real"])
            #expect(
                try steps(scratch.path("a/b/real"), intoDirectory: true)
                    == above + ["directory a", "directory b", "deadEnd real"])
        }
    }

    @Test func `a directory is entered before a name is looked up in it`() async throws {
        try await Scratch.with { scratch in
            var entered: [FilePath] = []
            let route = try PathWalk.follow(scratch.path("a/b"), intoDirectory: false) {
                directory, _ in
                // A file that is created at the last moment is found.
                if directory == scratch.directory { try? scratch.run("mkdir a; echo > a/b") }
                entered.append(directory)
                return true
            }
            #expect(entered.first == "/" && entered.last == scratch.path("a"))
            #expect(route.endNode?.path == scratch.path("a/b"))
        }
    }

    @Test func `a walk ends at a directory that cannot be entered`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir -p a; echo > a/b")
            let route = try PathWalk.follow(scratch.path("a/b"), intoDirectory: false) {
                directory, _ in
                directory != scratch.path("a")
            }
            #expect(route.endNode == nil && route.steps.last?.name == "a")
        }
    }

    @Test(arguments: [("/proc/self", "proc"), ("/sys", "sysfs"), ("/tmp", nil), ("/none", nil)])
    func `file systems with incomplete events are recognized by name`(
        _ path: String, _ name: String?
    ) throws {
        #expect(UnreliableFileSystem.name(at: FilePath(path)) == name)
    }

    @Test func `a target on a file system with incomplete events is listed as unreliable`() throws {
        let far = FileTarget.file("/proc/self/status")
        let events = try FileWatcher().watch([far, .file("/tmp/none/none")])
        #expect(events.unreliableFileSystems == [far: "proc"])
    }

    @Test func `the links of a directory are listed regardless of an earlier errno`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("ln -s a 1.x; ln -s a 2.x; ln -s a 3.y; touch 4.x")
            errno = EIO
            let linkNames = try DirectoryLinks.linkNames(
                in: scratch.directory, suffix: Array(".x".utf8))
            #expect(linkNames.map(\.string).sorted() == ["1.x", "2.x"])
        }
    }
}
