import FileWatching
import Glibc
import SystemPackage
import Testing

/// Targets whose directories are created and removed.
@Suite struct MissingDirectoryTests {
    @Test func `a file is found when its directories are created one by one`() async throws {
        try await Scratch.with { scratch in
            let watch = try Watch(scratch, file: "a/b/c/file")
            for directory in ["a", "a/b", "a/b/c"] {
                try await watch.expect([]) { try scratch.createDirectory(directory) }
            }
            try await watch.expect([.created, .written]) { try scratch.write("", to: "a/b/c/file") }
        }
    }

    @Test func `a file is found when its directories are created at once`() async throws {
        try await Scratch.with { scratch in
            let watch = try Watch(scratch, file: "a/b/c/file")
            for _ in 1...30 {
                let creation = try await watch.changes {
                    for directory in ["a", "a/b", "a/b/c"] {
                        try scratch.createDirectory(directory)
                    }
                    try scratch.write("", to: "a/b/c/file")
                }
                #expect(creation.contains(.created) && !creation.contains(.removed))
                let removed = try await watch.changes {
                    try scratch.remove("a/b/c/file")
                    for directory in ["a/b/c", "a/b", "a"] {
                        try scratch.removeDirectory(directory)
                    }
                }
                #expect(removed == .removed)
            }
        }
    }

    @Test func `a directory that is removed and recreated is still watched`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir -p a/b; echo > a/b/file")
            let watch = try Watch(scratch, file: "a/b/file")
            for _ in 1...20 {
                let again = try await watch.changes {
                    try scratch.run("rm -r a; mkdir -p a/b; echo > a/b/file")
                }
                #expect(again.isSuperset(of: [.removed, .created]))
                try await watch.expect(.written) { try scratch.write("", to: "a/b/file") }
            }
        }
    }

    @Test func `the removal of a directory that is held open is reported`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir -p a/b; echo > a/b/file")
            let watch = try Watch(scratch, file: "a/b/file")
            let openDescriptors =
                [open(scratch.path("a/b").string, O_RDONLY | O_CLOEXEC)]
                + [open(scratch.path("a/b/file").string, O_RDONLY | O_CLOEXEC)]
            defer { for number in openDescriptors { close(number) } }
            try await watch.expect(.removed) { try scratch.run("rm -r a") }
            let creation = try await watch.changes {
                try scratch.run("mkdir -p a/b; echo > a/b/file")
            }
            #expect(creation.contains(.created))
        }
    }

    @Test(arguments: ["a", "a/b", "a/b/c"])
    func `a directory that is renamed and renamed back is still watched`(_ directory: String)
        async throws
    {
        try await Scratch.with { scratch in
            try scratch.run("mkdir -p a/b/c; echo > a/b/c/file")
            let watch = try Watch(scratch, file: "a/b/c/file")
            for _ in 1...3 {
                try await watch.expect(.removed) { try scratch.rename(directory, to: "away") }
                let meanwhile = try await watch.changes { try scratch.run("mkdir -p away/x") }
                #expect(meanwhile == [])
                try await watch.expect(.created) { try scratch.rename("away", to: directory) }
                try await watch.expect(.written) { try scratch.write("", to: "a/b/c/file") }
            }
        }
    }

    @Test func `replacing a directory is reported as a replaced or created file`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir a b; echo > a/file; echo > b/file")
            let watch = try Watch(scratch, file: "a/file")
            let changes = try await watch.changes {
                try scratch.run("mv a c; mv b a")
            }
            #expect(!changes.isDisjoint(with: [.replaced, .created]))
            try await watch.expect([]) { try scratch.write("", to: "c/file") }
            try await watch.expect(.written) { try scratch.write("", to: "a/file") }
        }
    }

    @Test func `a file in place of a directory is not followed until a directory replaces it`()
        async throws
    {
        try await Scratch.with { scratch in
            try scratch.write("", to: "a")
            let watch = try Watch(scratch, file: "a/b/file")
            try await watch.expect([]) { try scratch.write("", to: "a") }
            let changes = try await watch.changes {
                try scratch.run("rm a; mkdir -p a/b; echo > a/b/file")
            }
            #expect(changes.contains(.created))
        }
    }

    @Test func `a relative path starts in the current directory, and dot components are resolved`()
        async throws
    {
        try await Scratch.with { scratch in
            try scratch.createDirectory("a")
            let name = "../../../../../../../../..\(scratch.directory.string)/./a/../file"
            let watch = try Watch(scratch, [.file(.init(name))])
            try await watch.expect([.created, .written]) { try scratch.write("", to: "file") }
            try await watch.expect(.removed) { try scratch.removeDirectory("a") }
        }
    }
}
