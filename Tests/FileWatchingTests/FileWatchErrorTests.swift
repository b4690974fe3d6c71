import Glibc
import SystemPackage
import Testing

@testable import FileWatching

/// Targets that cannot be watched, and the errors that report them.
@Suite struct FileWatchErrorTests {
    private static let sentences: [(FileWatchError, String)] = [
        (
            FileWatchError(.start, nil, .tooManyOpenFiles),
            """
            Cannot start to watch files: Too many open files; raise fs.inotify.max_user_instances \
            with sysctl(8), or the limit of open files.
            """
        ),
        (
            FileWatchError(.watch, "/a b", .noSpace),
            """
            Cannot watch '/a b': No space left on device; raise fs.inotify.max_user_watches with \
            sysctl(8).
            """
        ),
        (
            FileWatchError(.watch, "/a", .permissionDenied),
            """
            Cannot watch '/a': Permission denied; allow this user to read it, and to search the \
            directories above it.
            """
        ),
        (
            FileWatchError(.followLinks, "/a", .tooManyLinks),
            """
            Cannot follow all symbolic links in the directory '/a': Too many links; use at most 256 \
            symbolic links.
            """
        ),
        (
            FileWatchError(.examine, "/a", .ioError),
            "Cannot examine '/a': Input/output error; see errno 5 in errno(3)."
        ),
    ]

    @Test(arguments: sentences)
    func `an error says what failed, where, why and what to do`(
        _ error: FileWatchError, _ description: String
    ) {
        #expect(error.description == description)
    }

    @Test func `creating a watcher without free descriptors fails`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 1000)
            try Scratch.check(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit))
            #expect(throws: FileWatchError(.start, nil, .tooManyOpenFiles)) { try FileWatcher() }
        }
    }

    @Test func `a watcher's descriptors are close-on-exec and are closed with the watcher`() async {
        await #expect(processExitsWith: .success) {
            for _ in 1...20 {
                let watcher = try FileWatcher()
                let events = try watcher.watch([.file("/tmp/none")])
                let own = try ["anon_inode:inotify", "/mountinfo"].map(descriptors(of:))
                #expect(own.map(\.count) == [1, 1])
                for number in own.joined() { #expect(fcntl(number, F_GETFD) == FD_CLOEXEC) }
                watcher.close()
                for await _ in events {}
                #expect(try descriptors(of: "anon_inode:inotify") == [])
                #expect(try descriptors(of: "/mountinfo") == [])
            }
            // Dispatch uses some event descriptors.
            #expect(try descriptors(of: "anon_inode:[eventfd]").count < 10)
        }
    }

    @Test func `an unreadable directory is an error only if its entries must be watched`() async {
        await #expect(processExitsWith: .success) {
            try becomeNobody()
            try await Scratch.with { scratch in
                try scratch.run("mkdir -p closed/a; chmod 0111 closed; touch closed/a/file")
                // The watch of the next directory reports if that directory is removed.
                let watch = try Watch(scratch, file: "closed/a/file")
                try await watch.expect(.written) { try scratch.write("", to: "closed/a/file") }
                let refused = FileWatchError(.watch, scratch.path("closed"), .permissionDenied)
                for name in ["closed/file", "closed/none/file"] {
                    #expect(throws: refused) { try Watch(scratch, file: name) }
                }
                #expect(throws: refused) { try Watch(scratch, directory: "closed") }
                try scratch.run("chmod 0700 closed")
            }
        }
    }

    @Test
    func `a file that was unreadable for a while but did not change is not reported as created`()
        async
    {
        await #expect(processExitsWith: .success) {
            try becomeNobody()
            try await Scratch.with { scratch in
                try scratch.run("mkdir a; touch a/file")
                let target = FileTarget.file(scratch.path("a/file"))
                let watch = try Watch(scratch, [target])
                let blind = try await watch.reportedEvents { try scratch.run("chmod 0111 a") }
                #expect(blind[target]?.failure?.errno == .permissionDenied)
                let seeing = try await watch.reportedEvents { try scratch.run("chmod 0700 a") }
                #expect(seeing[target] == FileEvent(target, .lost))
            }
        }
    }

    @Test
    func `a directory that becomes unreadable is reported, and again when it becomes readable`()
        async
    {
        await #expect(processExitsWith: .success) {
            try becomeNobody()
            try await Scratch.with { scratch in
                try scratch.run("mkdir a; touch a/file; mkdir b; touch b/file; chmod 0111 b")
                let target = FileTarget.file(scratch.path("a/file"))
                let watch = try Watch(scratch, [target])
                let blind = try await watch.reportedEvents { try scratch.run("mv a c; mv b a") }
                #expect(blind[target]?.failure?.path == scratch.path("a"))
                #expect(blind[target]?.failure?.errno == .permissionDenied)
                #expect(blind[target]?.changes.contains(.lost) == false)
                let seeing = try await watch.reportedEvents {
                    try scratch.run("chmod 0700 a; touch x")
                }
                #expect(seeing[target]?.failure == nil)
                #expect(seeing[target]?.changes.contains(.lost) == true)
                try await watch.expect(.written) { try scratch.write("", to: "a/file") }
            }
        }
    }
}

/// Returns the open descriptors whose path in /proc ends with a name (proc_pid_fd(5)).
private func descriptors(of name: String) throws -> [CInt] {
    try (CInt(0)..<200).filter { number in
        guard fcntl(number, F_GETFD) >= 0 else { return false }
        var bytes = [CChar](repeating: 0, count: 4096)
        try Scratch.check(CInt(readlink("/proc/self/fd/\(number)", &bytes, bytes.count - 1)))
        return FilePath(platformString: bytes).string.hasSuffix(name)
    }
}

/// Drops the privileges of root, which can read every file.
private func becomeNobody() throws {
    guard geteuid() == 0 else { return }
    try Scratch.check(setgroups(0, nil))
    try Scratch.check(setgid(65534))
    try Scratch.check(setuid(65534))
}
