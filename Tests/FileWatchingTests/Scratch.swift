import Glibc
import SystemPackage

/// A temporary directory for one test, and the changes that programs make in it.
struct Scratch: Sendable {
    let directory: FilePath

    /// Calls a closure with a new empty directory, and removes the directory afterwards.
    static func with<Result>(
        in parent: String = "/tmp", _ body: (Scratch) async throws -> Result
    ) async throws -> Result {
        var template = Array("\(parent)/reprise-watching-XXXXXX".utf8CString)
        try check(mkdtemp(&template) == nil ? -1 : 0)
        let scratch = Scratch(directory: FilePath(platformString: template))
        defer { do { try scratch.run("rm -rf \"$PWD\"") } catch {} }
        return try await body(scratch)
    }

    func path(_ name: String) -> FilePath { name.isEmpty ? directory : directory.appending(name) }

    /// Writes a file as `cat >` does.
    ///
    /// The write happens in a separate process. If another thread of this process starts a process at the same time, a
    /// descriptor stays open for a moment after close(2).
    func write(_ text: String, to name: String) throws {
        try run("printf %s '\(text)' > \"$1\"", on: path(name))
    }

    /// Writes another file and renames it to this name, as most programs do to save a file.
    func replace(_ name: String, with text: String) throws {
        try write(text, to: name + ".new~")
        try rename(name + ".new~", to: name)
    }

    func rename(_ name: String, to newName: String) throws {
        try Self.check(Glibc.rename(path(name).string, path(newName).string))
    }

    func remove(_ name: String) throws { try Self.check(unlink(path(name).string)) }
    func createDirectory(_ name: String) throws { try Self.check(mkdir(path(name).string, 0o700)) }
    func removeDirectory(_ name: String) throws { try Self.check(rmdir(path(name).string)) }

    /// Creates an empty file without opening it.
    func makeFile(_ name: String) throws {
        try Self.check(mknod(path(name).string, S_IFREG | 0o600, 0))
    }

    func makeLink(_ name: String, to destination: String) throws {
        try Self.check(symlink(destination, path(name).string))
    }

    /// Replaces the destination of a link in one step, as `ln -sfn` and Kubernetes do.
    func turnLink(_ name: String, to destination: String) throws {
        try makeLink(name + ".new~", to: destination)
        try rename(name + ".new~", to: name)
    }

    /// Runs a shell command in the directory, and waits for it.
    ///
    /// - Parameter path: The value of `$1`.
    func run(_ command: String, on path: FilePath = "") throws {
        let words = ["sh", "-ec", "cd '\(directory.string)'; \(command)", "sh"]
        var arguments = words.map { strdup($0) } + [path.withPlatformString { strdup($0) }, nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let failure = posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ)
        guard failure == 0 else { throw Errno(rawValue: failure) }
        var status: CInt = 0
        try Self.check(waitpid(process, &status, 0))
        guard status == 0 else { throw CommandFailure(command: command, status: status) }
    }

    static func check(_ result: CInt) throws {
        if result < 0 { throw Errno(rawValue: errno) }
    }
}

/// A shell command that failed.
struct CommandFailure: Error {
    var command: String
    /// The status from waitpid(2).
    var status: CInt
}
