import Glibc
import LinuxIO
import Testing

@testable import Reprise

/// Processes with too few system resources. Each limit is tested in a separate process.
@Suite(.timeLimit(.minutes(10))) struct StartupRequirementsTests {
    @Test func `a process with enough resources passes the check`() async {
        await #expect(processExitsWith: .success) { try StartupRequirements.check() }
    }

    @Test func `too little address space is reported with the limit to raise`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 300 << 20, rlim_max: 300 << 20)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            let error = #expect(throws: StartupRequirementError.self) {
                try StartupRequirements.check()
            }
            #expect(
                error?.description == "the system does not give this process enough address space "
                    + "(Cannot allocate memory): raise LimitAS= of the unit, or `ulimit -v`; 1 GiB is enough."
            )
        }
    }

    @Test func `too few threads are reported with the limits to raise`() async {
        await #expect(processExitsWith: .success) {
            // The limit does not apply to root.
            if getuid() == 0 { try #require(setuid(65_534) == 0) }
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0)
            let error = #expect(throws: StartupRequirementError.self) {
                try StartupRequirements.check()
            }
            let sentence = error?.description ?? ""
            #expect(sentence.hasPrefix("the system does not give this process "))
            #expect(
                sentence.hasSuffix(
                    "threads (Resource temporarily unavailable): raise TasksMax= or LimitNPROC= of the unit, or "
                        + "`ulimit -u`."))
        }
    }

    @Test func `repeated checks do not use up the address space`() async {
        await #expect(processExitsWith: .success) {
            let bytes = try #require(try Directory.open("/proc/self")?.read("statm", limit: 1024))
            // The first number is the size of the process in pages.
            let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            let pageCount = try #require(UInt(text))
            let maximum = pageCount * UInt(getpagesize()) + (4 << 30)
            var limit = rlimit(rlim_cur: maximum, rlim_max: maximum)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            for _ in 0..<300 { try StartupRequirements.check() }
        }
    }
}
