import Glibc
import Logging
import Testing

@testable import Systemd

@Suite struct SystemdLoggingTests {
    /// Runs a closure with the write end of a pipe and the `device:inode` of the pipe.
    private func withPipe(_ body: (CInt, String) throws -> Void) throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        var status = stat()
        try #require(fstat(ends[1], &status) == 0)
        try body(ends[1], "\(status.st_dev):\(status.st_ino)")
    }

    @Test func `a descriptor is the journal only if device and inode match`() throws {
        try withPipe { descriptor, identity in
            let destination = { SystemdLogging.destination(of: descriptor, journalStream: $0) }
            #expect(destination(identity) == .journal)
            #expect(destination(identity + "0") == .other)
            #expect(destination("") == .other)
            #expect(destination(nil) == .other)
        }
    }

    @Test func `a terminal is distinguished from a file`() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        let file = open("/dev/null", O_RDONLY)
        defer {
            close(terminal)
            close(file)
        }
        try #require(terminal >= 0 && file >= 0)
        #expect(SystemdLogging.destination(of: terminal, journalStream: nil) == .terminal)
        #expect(SystemdLogging.destination(of: file, journalStream: nil) == .other)
        #expect(SystemdLogging.destination(of: -1, journalStream: nil) == .other)
    }

    @Test func `if standard error is the journal, log records are sent natively`() async {
        await #expect(processExitsWith: .success) {
            var ends: [CInt] = [-1, -1]
            try #require(pipe(&ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO)
            #expect(SystemdLogging.makeHandler(label: "l") is StderrLogHandler)
            var status = stat()
            try #require(fstat(STDERR_FILENO, &status) == 0)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            #expect(SystemdLogging.makeHandler(label: "l") is JournalLogHandler)
        }
    }
}
