import Glibc
import SystemPackage
import Testing

@testable import FileWatching

/// Walks along a path without watches.
@Suite struct PathWalkTests {
    private func steps(_ path: FilePath, intoFolder: Bool = false) throws -> [String] {
        try PathWalk.follow(path, intoFolder: intoFolder) { _, _ in true }
            .steps.map { "\($0.kind) \($0.name)" }
    }

    @Test func `every path component is looked up, and every link is followed`() async throws {
        try await Scratch.with { scratch in
            try scratch.run(
                "mkdir -p a/b; ln -s b a/c; echo > a/b/real; ln -s ../c/./real a/b/link")
            let above = scratch.folder.components.map { "folder \($0)" }
            #expect(
                try steps(scratch.path("a/c/link")) == above
                    + [
                        "folder a", "link c", "folder b", "link link", "link c", "folder b",
                        "end real",
                    ])
            #expect(
                try steps(scratch.path("a/c"), intoFolder: true)
                    == above + ["folder a", "link c", "folder b"])
            #expect(try steps(scratch.path("a/d/e")) == above + ["folder a", "deadEnd d"])
            #expect(try steps(scratch.path("a/d")) == above + ["folder a", "end d"])
            #expect(
                try steps(scratch.path("a/b/real/x"))
                    == above + ["folder a", "folder b", "deadEnd real"])
            #expect(
                try steps(scratch.path("a/b/real"), intoFolder: true)
                    == above + ["folder a", "folder b", "deadEnd real"])
        }
    }

    @Test func `a directory is entered before a name is looked up in it`() async throws {
        try await Scratch.with { scratch in
            var entered: [FilePath] = []
            let route = try PathWalk.follow(scratch.path("a/b"), intoFolder: false) { folder, _ in
                // A file that is created at the last moment is found.
                if folder == scratch.folder { try? scratch.run("mkdir a; echo > a/b") }
                entered.append(folder)
                return true
            }
            #expect(entered.first == "/" && entered.last == scratch.path("a"))
            #expect(route.end?.path == scratch.path("a/b"))
        }
    }

    @Test func `a walk ends at a directory that cannot be entered`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir -p a; echo > a/b")
            let route = try PathWalk.follow(scratch.path("a/b"), intoFolder: false) { folder, _ in
                folder != scratch.path("a")
            }
            #expect(route.end == nil && route.steps.last?.name == "a")
        }
    }

    @Test(arguments: [("/proc/self", "proc"), ("/sys", "sysfs"), ("/tmp", nil), ("/none", nil)])
    func `file systems with incomplete events are recognized by name`(
        _ path: String, _ name: String?
    ) throws {
        #expect(NetworkFileSystem.name(at: FilePath(path)) == name)
    }

    @Test func `a target on a file system with incomplete events is listed as unreliable`() throws {
        let far = FileTarget.file("/proc/self/status")
        let events = try FileWatcher().watch([far, .file("/tmp/none/none")])
        #expect(events.unreliable == [far: "proc"])
    }

    @Test func `the links of a directory are listed regardless of an earlier errno`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("ln -s a 1.x; ln -s a 2.x; ln -s a 3.y; touch 4.x")
            errno = EIO
            let names = try FolderLinks.names(in: scratch.folder, suffix: Array(".x".utf8))
            #expect(names.map(\.string).sorted() == ["1.x", "2.x"])
        }
    }
}
