import Glibc
import TestSupport
import Testing

/// A shell script that `reprisectl` starts as `ssh`.
struct FakeSSH {
    /// Script that runs the relay, as `ssh` does on the other host.
    static let relay = #"""
        while [ "$1" != -- ]; do shift; done
        PATH=$PROGRAMS:$PATH exec sh -c "$3"
        """#

    /// Environment variables of the program that starts the script.
    let environment: [String: String]
    private let scratch: ScratchDirectory

    init(_ script: String) throws {
        let scratch = try ScratchDirectory()
        self.scratch = scratch
        try scratch.write(
            "script", "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\(scratch.path)/started\n\(script)\n")
        try scratch.write("started", "")
        try #require(chmod(scratch.file("script"), 0o755) == 0)
        // Another test may be starting a process that has the script open for writing, so the script itself cannot be
        // executed. Only `cp` opens the copy.
        try Self.copy(scratch.file("script"), to: scratch.file("ssh"))
        let programs = try ProgramRun.program().dropLast("/reprisectl".count)
        environment = [
            "PATH": "\(scratch.path):/usr/bin:/bin", "PROGRAMS": String(programs),
        ]
    }

    /// Arguments with which the script has been started, one string for each start.
    var starts: [Substring] {
        get throws { try ProgramRun.text(scratch.file("started")).split(separator: "\n") }
    }

    private static func copy(_ source: String, to target: String) throws {
        let command = ["/bin/cp", "-p", source, target]
        let words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        var status: Int32 = 0
        try #require(posix_spawn(&process, "/bin/cp", nil, nil, words, nil) == 0)
        try #require(waitpid(process, &status, 0) == process && status == 0)
    }
}
