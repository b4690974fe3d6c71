import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

@Suite(.timeLimit(.minutes(10))) struct ConnectionThreadTests {
    @Test func `the thread of a connection ends with the connection`() async {
        await #expect(processExitsWith: .success) {
            func threadCount() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            }
            let directory = try ScratchDirectory()
            let path = directory.file("s")
            let listening = try ListeningSocket(path: path, mode: 0o600)
            let before = try threadCount()
            let count = 500
            for _ in 0..<count {
                _ = try VarlinkConnection(path: path)
                close(accept(listening.descriptor, nil, nil))
            }
            // The system adds threads to the pool for tasks.
            try await waitUntil("most of the threads have ended") {
                try threadCount() < before + count / 2
            }
            close(listening.descriptor)
        }
    }
}
