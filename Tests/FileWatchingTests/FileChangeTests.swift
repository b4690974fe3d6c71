import FileWatching
import Glibc
import SystemPackage
import Testing

/// Changes that programs make to a file, and the events that report them.
@Suite struct FileChangeTests {
    @Test(
        arguments: [
            ("cat other > file", [.written]),
            ("cp other file", [.written]),
            ("truncate -s 1 file", [.written]),
            ("echo more >> file", [.written]),
            ("dd if=other of=file conv=notrunc 2>/dev/null", [.written]),
            ("touch file", [.written, .attributes]),
            ("chmod 600 file", [.attributes]),
            ("chmod 0 file; chmod 600 file", [.attributes]),
            ("ln file other.name; rm other.name", []),
            ("mv other file", [.replaced]),
            ("sed -i s/a/b/ file", [.replaced]),
            ("cp other new; mv new file", [.replaced]),
            ("ln -f other file", [.replaced]),
            ("ln -sf other file", [.replaced]),
            ("install other file", [.removed, .created, .written, .attributes]),
            ("rm file", [.removed]),
            ("mv file away", [.removed]),
            ("rm file; ln other file", [.removed, .created]),
            ("rm file; ln -s other file", [.removed, .created]),
            // vim with backupcopy=no, and emacs.
            ("mv file file~; cat other > file", [.removed, .created, .written]),
            // vim with backupcopy=yes.
            ("cp file file~; cat other > file; rm file~", [.written]),
            ("cat file; ls -l; stat file; chmod 600 other; chmod 700 .", []),
            ("cat other > files; mv other file.new; rm file.new", []),
        ] as [(String, FileChanges)])
    func `a change to a file by a program is reported`(_ command: String, _ changes: FileChanges)
        async throws
    {
        try await Scratch.with { scratch in
            try scratch.write("a", to: "file")
            try scratch.write("b", to: "other")
            let watch = try Watch(scratch, file: "file")
            try await watch.expect(changes) { try scratch.run("{ \(command); } >/dev/null") }
        }
    }

    @Test(
        arguments: [
            ("cat other > file", [.created, .written]),
            ("mv other file", [.replaced]),
            ("ln other file", [.created]),
            ("ln -s other file", [.created]),
            ("cat other > file; rm file", [.created, .written, .removed]),
            ("cat other > filE", []),
        ] as [(String, FileChanges)])
    func `the creation of a file by a program is reported`(
        _ command: String, _ changes: FileChanges
    ) async throws {
        try await Scratch.with { scratch in
            try scratch.write("b", to: "other")
            let watch = try Watch(scratch, file: "file")
            try await watch.expect(changes) { try scratch.run(command) }
        }
    }

    @Test func `a file is watched across events, even if its inode changes`() async throws {
        try await Scratch.with { scratch in
            let watch = try Watch(scratch, file: "file")
            for _ in 1...3 {
                try await watch.expect([.created, .written]) { try scratch.write("1", to: "file") }
                try await watch.expect(.written) { try scratch.write("2", to: "file") }
                try await watch.expect(.replaced) { try scratch.replace("file", with: "3") }
                try await watch.expect(.written) { try scratch.write("4", to: "file") }
                try await watch.expect(.removed) { try scratch.remove("file") }
            }
        }
    }

    @Test func `a file that is being written when the watch begins is reported when it is closed`()
        async throws
    {
        try await Scratch.with { scratch in
            try scratch.run(
                """
                mkfifo begun go
                { echo 1; echo > begun; read line < go; echo 2; } > file &
                read line < begun
                """)
            let watch = try Watch(scratch, file: "file")
            try await watch.expect([]) {}
            try scratch.run("echo > go")
            try await watch.await(.written)
        }
    }

    @Test func `an append is reported only when the file is closed`() async throws {
        try await Scratch.with { scratch in
            try scratch.write("", to: "file")
            let watch = try Watch(scratch, file: "file")
            let file = try FileDescriptor.open(scratch.path("file"), .writeOnly, options: .append)
            try await watch.expect([]) { _ = try file.writeAll("text".utf8) }
            try file.close()
            try await watch.await(.written)
        }
    }

    @Test func `closing a file that has been replaced is not a change`() async throws {
        try await Scratch.with { scratch in
            try scratch.write("", to: "file")
            try scratch.run(
                """
                mkfifo begun go gone
                { exec 3> file; echo > begun; read line < go; exec 3>&-; echo > gone; } &
                read line < begun
                """)
            let watch = try Watch(scratch, file: "file")
            try await watch.expect(.replaced) { try scratch.replace("file", with: "") }
            try await watch.expect([]) { try scratch.run("echo > go; read line < gone") }
        }
    }

    @Test func `a write through another hard link is reported`() async throws {
        try await Scratch.with { scratch in
            try scratch.createDirectory("elsewhere")
            try scratch.write("", to: "elsewhere/file")
            try scratch.run("ln elsewhere/file file")
            let watch = try Watch(scratch, file: "file")
            try await watch.expect(.written) { try scratch.write("2", to: "elsewhere/file") }
        }
    }

    @Test func `renaming one watched file over another is reported for both`() async throws {
        try await Scratch.with { scratch in
            for name in ["one", "two"] { try scratch.write(name, to: name) }
            let (one, two) = (scratch.path("one"), scratch.path("two"))
            let watch = try Watch(scratch, [.file(one), .file(two)])
            let reportedEvents = try await watch.reportedEvents {
                try scratch.rename("one", to: "two")
            }
            #expect(
                reportedEvents.mapValues(\.changes) == [
                    .file(one): .removed, .file(two): .replaced,
                ])
        }
    }

    @Test func `a file name can contain any bytes`() async throws {
        let names: [[UInt8]] = [
            Array(" a b ".utf8), Array("a\nb\"'\\".utf8), [0xFF, 0x80, 0xC3], Array("ü".utf8),
            [UInt8](repeating: 0x78, count: 255),
        ]
        for name in names {
            try await Scratch.with { scratch in
                let path = FilePath(
                    platformString: Array(scratch.directory.string.utf8CString.dropLast()) + [0x2F]
                        + name.map { CChar(bitPattern: $0) } + [0])
                let watch = try Watch(scratch, [.file(path)])
                let other = scratch.path("\u{FFFD}\u{FFFD}\u{FFFD}").string
                try await watch.expect([]) { try Scratch.check(mkdir(other, 0o700)) }
                try await watch.expect([.created, .written]) {
                    try scratch.run("echo > \"$1\"", on: path)
                }
            }
        }
    }
}
