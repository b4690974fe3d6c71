import FileWatching
import Glibc
import SystemPackage
import TestSupport
import Testing

/// Mounts and unmounts on the path to a target.
@Suite(.needsRoot) struct MountTests {
    /// Calls a closure with a scratch directory that contains a directory `m`, and unmounts everything on `m`
    /// afterwards.
    private func withScratch(_ body: (Scratch) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            try scratch.createDirectory("m")
            defer {
                for name in ["m/file", "m", "m"] {
                    umount2(scratch.path(name).string, CInt(MNT_DETACH))
                }
            }
            try await body(scratch)
        }
    }

    @Test func `an unmount is not reported as a removal, and a later mount is watched`()
        async throws
    {
        try await withScratch { scratch in
            try scratch.run("mount -t tmpfs none m; echo > m/file")
            let watch = try Watch(scratch, file: "m/file")
            for _ in 1...3 {
                try await watch.expect(.unmounted) { try scratch.run("umount m") }
                try await watch.expect([]) { try scratch.run("mount -t tmpfs none m") }
                try await watch.expect([.created, .written]) { try scratch.write("", to: "m/file") }
                try await watch.expect(.removed) { try scratch.remove("m/file") }
                try await watch.expect([.created, .written]) { try scratch.write("", to: "m/file") }
            }
        }
    }

    @Test func `an unmount is reported even if the mount point is removed with it`() async throws {
        try await withScratch { scratch in
            try scratch.run("mount -t tmpfs none m; echo > m/file")
            let watch = try Watch(scratch, file: "m/file")
            try await watch.expect(.unmounted) { try scratch.run("umount m; rmdir m") }
            try await watch.expect([]) { try scratch.createDirectory("m") }
            try await watch.expect([.created, .written]) { try scratch.write("", to: "m/file") }
        }
    }

    @Test func `an unmount is reported even if another mount namespace holds a file open`()
        async throws
    {
        try await withScratch { scratch in
            try scratch.run("mount -t tmpfs none m; echo > m/file; mkfifo begun end")
            let watch = try Watch(scratch, file: "m/file")
            try scratch.run(
                """
                unshare --mount true
                unshare --mount sh -c 'exec 3< m/file; echo > begun; cat end' >/dev/null &
                read line < begun
                """
            )
            defer {
                do { try scratch.run("echo > end") } catch { Issue.record(error) }
            }
            // The directory is removed immediately, so that it no longer exists when the target is checked.
            try await watch.expect(.unmounted) {
                let directory = scratch.path("m").string
                #expect(umount2(directory, 0) == 0 && rmdir(directory) == 0)
            }
        }
    }

    @Test func `an unmount is reported while the file is held open`() async throws {
        try await withScratch { scratch in
            try scratch.run("mount -t tmpfs none m; echo > m/file")
            let watch = try Watch(scratch, file: "m/file")
            let openFile = open(scratch.path("m/file").string, O_RDONLY | O_CLOEXEC)
            defer { close(openFile) }
            try await watch.expect(.unmounted) { try scratch.run("umount -l m") }
        }
    }

    @Test(arguments: ["mount -t tmpfs none m", "mkdir other; mount --bind other m"])
    func `a mount over the directory hides the file, and an unmount reveals it`(_ mount: String)
        async throws
    {
        try await withScratch { scratch in
            try scratch.write("", to: "m/file")
            let watch = try Watch(scratch, file: "m/file")
            try await watch.expect(.unmounted) { try scratch.run(mount) }
            try await watch.expect(.created) { try scratch.run("umount m") }
            try await watch.expect(.written) { try scratch.write("", to: "m/file") }
        }
    }

    @Test func `a file revealed by a mount is reported as created`() async throws {
        try await withScratch { scratch in
            try scratch.run("mkdir other; echo > other/file; echo > m/file")
            let watch = try Watch(scratch, file: "m/file")
            try await watch.expect([.unmounted, .created]) {
                try scratch.run("mount --bind other m")
            }
            try await watch.expect(.written) { try scratch.write("", to: "other/file") }
        }
    }

    @Test func `writes to a file that is bind-mounted over the target are reported`() async throws {
        try await withScratch { scratch in
            try scratch.run("echo > other; echo > m/file; mount --bind other m/file")
            let watch = try Watch(scratch, file: "m/file")
            try await watch.expect(.written) { try scratch.write("2", to: "other") }
            try await watch.expect([.unmounted, .created]) { try scratch.run("umount m/file") }
        }
    }

    @Test func `a mount elsewhere is not a change`() async throws {
        try await withScratch { scratch in
            try scratch.write("", to: "file")
            let watch = try Watch(scratch, file: "file")
            try await watch.expect([]) { try scratch.run("mount -t tmpfs none m; umount m") }
        }
    }

    @Test func `unmounting a directory target or the target of a link in a directory is reported`()
        async throws
    {
        try await withScratch { scratch in
            try scratch.run("mount -t tmpfs none m; echo > m/a.yaml; mkdir d; ln -s ../m/a.yaml d")
            let (own, linked) = (scratch.path("m"), scratch.path("d"))
            let watch = try Watch(
                scratch, [.directory(own, suffix: ".yaml"), .directory(linked, suffix: ".yaml")])
            let reportedEvents = try await watch.reportedEvents { try scratch.run("umount m") }
            #expect(
                reportedEvents[.directory(own, suffix: ".yaml")]?.changes == [.unmounted, .created])
            #expect(reportedEvents[.directory(linked, suffix: ".yaml")]?.changes == .unmounted)
        }
    }
}
