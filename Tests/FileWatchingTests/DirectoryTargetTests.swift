import FileWatching
import SystemPackage
import Testing

/// Directories that contain files with a suffix.
@Suite struct DirectoryTargetTests {
    @Test(
        arguments: [
            ("echo > d/b.yaml", [.created, .written]),
            ("echo > d/a.yaml", [.written]),
            ("mv other d/b.yaml", [.replaced]),
            ("mv d/a.yaml d/a.yaml.off", [.removed]),
            ("mv d/a.off d/b.yaml", [.replaced]),
            ("rm d/a.yaml", [.removed]),
            ("ln -s ../other d/b.yaml", [.created]),
            ("rm -r d", [.removed]),
            ("mv d away", [.removed]),
            ("echo > d/b; echo > d/a.yaml~; touch d/yaml; rm d/a.off; mkdir d/c", []),
        ] as [(String, FileChanges)])
    func `a change in a directory is reported only for names with the suffix`(
        _ command: String, _ changes: FileChanges
    ) async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir d; echo > d/a.yaml; echo > d/a.off; echo > other")
            let watch = try Watch(scratch, directory: "d")
            try await watch.expect(changes) { try scratch.run(command) }
        }
    }

    @Test func `creation, removal and replacement of a directory are reported`() async throws {
        try await Scratch.with { scratch in
            let watch = try Watch(scratch, directory: "a/d")
            try await watch.expect(.created) { try scratch.run("mkdir -p a/d") }
            try await watch.expect([.created, .written]) { try scratch.write("", to: "a/d/x.yaml") }
            try await watch.expect(.removed) { try scratch.run("rm -r a") }
            try await watch.expect(.created) { try scratch.run("mkdir -p b/d; mv b a") }
            try scratch.run("mkdir other; ln -s ../other link; mkdir f; mv link f")
            _ = try await watch.changes {
                try scratch.run("rm -r a/d; mv f/link a/d; touch other/x")
            }
            try await watch.expect([.created, .written, .attributes]) {
                try scratch.run("touch other/x.yaml")
            }
        }
    }

    @Test func `redirecting a link to a directory is reported as a replacement`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir one two; ln -s one d; echo > two/a.yaml")
            let watch = try Watch(scratch, directory: "d")
            try await watch.expect(.replaced) { try scratch.turnLink("d", to: "two") }
            try await watch.expect(.written) { try scratch.write("", to: "two/a.yaml") }
            try await watch.expect([]) { try scratch.write("", to: "one/a.yaml") }
        }
    }

    @Test func `links in a directory are followed`() async throws {
        try await Scratch.with { scratch in
            try scratch.run(
                "mkdir d e; echo > e/1; echo > e/2; ln -s ../e/1 d/a.yaml; ln -s ../e/1 d/b")
            let watch = try Watch(scratch, directory: "d")
            try await watch.expect(.written) { try scratch.write("x", to: "e/1") }
            try await watch.expect([]) { try scratch.write("x", to: "e/2") }
            try await watch.expect(.replaced) { try scratch.turnLink("d/a.yaml", to: "../e/2") }
            try await watch.expect([]) { try scratch.write("x", to: "e/1") }
            try await watch.expect(.removed) { try scratch.remove("e/2") }
            try await watch.expect(.removed) { try scratch.remove("d/a.yaml") }
            try await watch.expect(.created) { try scratch.run("ln -s ../e/3 d/c.yaml") }
            try await watch.expect([.created, .written]) { try scratch.write("x", to: "e/3") }
        }
    }

    @Test func `watching a directory with too many links fails`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir d; for i in $(seq 257); do ln -s x d/$i.yaml; done")
            let error = #expect(throws: FileWatchError.self) { try Watch(scratch, directory: "d") }
            #expect(error?.operation == .followLinks)
            #expect(error?.path == scratch.path("d"))
            #expect(error?.errno == .tooManyLinks)
            try scratch.remove("d/7.yaml")
            _ = try Watch(scratch, directory: "d")
        }
    }

    @Test func `exceeding the maximum number of links later is reported, as is its end`()
        async throws
    {
        try await Scratch.with { scratch in
            try scratch.run("mkdir d; for i in $(seq 256); do ln -s ../x d/$i.yaml; done")
            let watch = try Watch(scratch, directory: "d")
            let target = FileTarget.directory(scratch.path("d"), suffix: ".yaml")
            let over = try await watch.reportedEvents {
                try scratch.makeLink("d/257.yaml", to: "../x")
            }
            #expect(over[target]?.failure?.operation == .followLinks)
            let still = try await watch.reportedEvents { try scratch.write("", to: "d/file.yaml") }
            #expect(still[target]?.failure == over[target]?.failure)
            #expect(still[target]?.changes == [.created, .written])
            let under = try await watch.reportedEvents { try scratch.remove("d/1.yaml") }
            #expect(under[target]?.failure == nil)
            #expect(under[target]?.changes.contains(.lost) == true)
            let changes = try await watch.changes { try scratch.write("", to: "x") }
            #expect(changes.contains(.written))
        }
    }

    @Test func `every link in a directory is followed`() async throws {
        try await Scratch.with { scratch in
            let directories = ["e1", "e2", "e3"]
            try scratch.createDirectory("d")
            for name in directories {
                try scratch.run("mkdir \(name); echo > \(name)/x")
                try scratch.makeLink("d/\(name).yaml", to: "../\(name)/x")
            }
            let watch = try Watch(scratch, directory: "d")
            for name in directories {
                try await watch.expect(.removed) { try scratch.rename(name, to: "\(name).away") }
            }
        }
    }
}
