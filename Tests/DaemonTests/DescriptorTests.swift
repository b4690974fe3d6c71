import DaemonHost
import Glibc
import SystemPackage
import Testing

/// Descriptors of the daemon.
struct DescriptorTests {
    /// Returns the file of each descriptor of a process, and whether a program that the process executes inherits it.
    ///
    /// The result omits descriptors that the process closes while this function runs.
    private func descriptors(of process: Int32) throws -> [Int: (file: String, isInherited: Bool)] {
        let directory = FilePath("/proc/\(process)")
        var found: [Int: (file: String, isInherited: Bool)] = [:]
        for number in directory.appending("fd").entries.compactMap({ Int($0) }) {
            var target = [UInt8](repeating: 0, count: 256)
            let count = readlink(directory.appending("fd/\(number)").string, &target, target.count)
            let information: String
            do {
                information = try directory.appending("fdinfo/\(number)").text()
            } catch Errno.noSuchFileOrDirectory {
                continue
            }
            let line = try #require(
                information.split(separator: "\n").first { $0.hasPrefix("flags:") })
            let flags = try #require(Int32(line.split(separator: "\t")[1], radix: 8))
            found[number] = (
                String(decoding: target.prefix(max(0, count)), as: UTF8.self),
                flags & O_CLOEXEC == 0
            )
        }
        return found
    }

    @Test func `standard descriptors that are closed at startup are connected to /dev/null`()
        async throws
    {
        try await Host.with { host in
            // Descriptor 5 keeps the daemon's output open for the test.
            let closing = ["bash", "-c", #"exec "$@" 5>&1 0<&- 1>&- 2>&-"#, "bash"]
            try await host.run(by: closing) { daemon in
                try await host.mustControl("type", Paths.child1, "typed")
                let descriptors = try descriptors(of: daemon.process)
                for number in 0...2 {
                    try #require(descriptors[number]?.file == "/dev/null", "\(descriptors)")
                }
            }
            try await host.run { _ in try await host.require(child1: "typed", reason: "restore") }
        }
    }

    @Test func `programs that the daemon executes inherit only the standard descriptors`()
        async throws
    {
        try await Host.with { host in
            try await host.run { daemon in
                let client = try RawSocket(host.socket)
                try client.send(
                    Array(#"{"method":"org.varlink.service.GetInfo"}"#.utf8))
                try #require(try client.receive() != nil)
                let inherited = try descriptors(of: daemon.process).filter {
                    $0.key > 2 && $0.value.isInherited
                }
                try #require(inherited.isEmpty, "\(inherited)")
            }
        }
    }
}
