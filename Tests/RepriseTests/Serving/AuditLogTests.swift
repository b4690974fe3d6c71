import Glibc
import Logging
import RepriseControl
import Synchronization
import TestSupport
import Testing

@testable import Reprise
@testable import Varlink

/// Log of the users who request operations that remove state, restore other state, or stop something.
@Suite struct AuditLogTests {
    private let log = LogRecorder()
    private var audit: AuditLog {
        AuditLog(
            log: DaemonLog(logger: log.logger()), applications: ApplicationList(applications: []),
            rateLimiter: AuditRateLimiter { _ in })
    }

    private func call(_ method: String, _ parameters: String) throws -> Call {
        try Call(parsing: Array(#"{"method":"\#(method)","parameters":\#(parameters)}"#.utf8))
    }

    @Test func `requests that change something important are logged, with fields`() throws {
        let peer = Peer(pid: getpid(), uid: 1000, gid: 1000)
        audit.record(
            try call(
                RollbackCall.qualifiedMethod,
                #"{"application":"org.example.A","scene":"main","generation":"3"}"#), by: peer)
        let entry = try #require(log.entries.first)
        #expect(entry.level == .notice)
        let program = try #require(entry.metadata["REPRISE_PROGRAM"])
        #expect(!program.isEmpty && !program.contains("\n"))
        #expect(
            entry.message
                == "user 1000, process \(getpid()) (\"\(program)\"), requested Rollback of "
                + #""org.example.A" "main""#)
        #expect(
            entry.metadata == [
                "MESSAGE_ID": DaemonEvent.operationRequested.rawValue,
                "REPRISE_COMMAND": "org.reprise.Control.Rollback",
                "REPRISE_APPLICATION": "org.example.A", "REPRISE_SCENE": "main",
                "REPRISE_PARAMETERS":
                    #"{"application":"org.example.A","generation":"3","scene":"main"}"#,
                "REPRISE_UID": "1000", "REPRISE_PID": "\(getpid())", "REPRISE_PROGRAM": program,
            ])
    }

    @Test func `commands for a cluster are logged with the affected application`() throws {
        let calls = [
            (RelocateCall.qualifiedMethod, "org.example.A"),
            (ClusterTakeCall.qualifiedMethod, "org.example.A"),
            (DrainCall.qualifiedMethod, nil), (ClusterPauseCall.qualifiedMethod, nil),
            (ClusterResumeCall.qualifiedMethod, nil),
        ]
        for (method, application) in calls {
            let parameters = application.map { #"{"application":"\#($0)"}"# } ?? "{}"
            audit.record(
                try call(method, parameters), by: Peer(pid: pid_t.max, uid: 0, gid: 0))
        }
        #expect(log.entries.map { $0.metadata["REPRISE_COMMAND"] } == calls.map(\.0))
        #expect(log.entries.map { $0.metadata["REPRISE_APPLICATION"] } == calls.map(\.1))
    }

    @Test func `a forced takeover is logged as forced`() throws {
        for parameters in [#"{"application":"A"}"#, #"{"application":"A","force":true}"#] {
            audit.record(
                try call(ClusterTakeCall.qualifiedMethod, parameters),
                by: Peer(pid: pid_t.max, uid: 0, gid: 0))
        }
        #expect(log.entries.map { $0.message.hasSuffix(#"of "A" with force"#) } == [false, true])
    }

    @Test func `an exited process has no name, and long parameters are truncated`() throws {
        let name = String(repeating: "ä", count: 1000)
        audit.record(
            try call(CloseCall.qualifiedMethod, #"{"name":"\#(name)"}"#),
            by: Peer(pid: pid_t.max, uid: 0, gid: 0))
        let entry = try #require(log.entries.first)
        #expect(entry.metadata["REPRISE_PROGRAM"] == nil)
        #expect(entry.metadata["REPRISE_PARAMETERS"]?.hasSuffix("ää…") == true)
        #expect(entry.metadata["REPRISE_PARAMETERS"]?.utf8.count == 399 + "…".utf8.count)
        // In a call of Close, the parameter `name` is the scene.
        #expect(entry.metadata["REPRISE_SCENE"] == String(name.prefix(100)) + "…")
    }

    @Test func `a name is truncated only if it exceeds the limit`() throws {
        let name = String(repeating: "n", count: 200)
        for name in [name, name + "n"] {
            audit.record(
                try call(CloseCall.qualifiedMethod, #"{"name":"\#(name)"}"#),
                by: Peer(pid: pid_t.max, uid: 0, gid: 0))
        }
        #expect(log.entries.map { $0.metadata["REPRISE_SCENE"] } == [name, name + "…"])
    }

    @Test func `requests above the limit are logged as a total at the end of the minute`() throws {
        let ends = Mutex<[@Sendable () -> Void]>([])
        let audit = AuditLog(
            log: DaemonLog(logger: log.logger()), applications: ApplicationList(applications: []),
            rateLimiter: AuditRateLimiter { end in ends.withLock { $0.append(end) } })
        let peer = Peer(pid: 1, uid: 1000, gid: 1000)
        let launch = try call(LaunchCall.qualifiedMethod, #"{"application":"a"}"#)
        for _ in 0..<(AuditRateLimiter.maximumPerMinute + 3) { audit.record(launch, by: peer) }
        #expect(log.entries.count == AuditRateLimiter.maximumPerMinute)
        // Calls of another method and of another user are logged. The other user makes as many calls as the limit.
        audit.record(try call(ResetCall.qualifiedMethod, #"{"application":"a"}"#), by: peer)
        for _ in 0..<AuditRateLimiter.maximumPerMinute {
            audit.record(launch, by: Peer(pid: 1, uid: 1001, gid: 1001))
        }
        let count = 2 * AuditRateLimiter.maximumPerMinute + 1
        #expect(log.entries.count == count)
        for end in ends.withLock({ $0 }) { end() }
        #expect(
            log.entries.dropFirst(count).map(\.message)
                == [#"user 1000 requested Launch of "a" 3 more times within a minute"#])
        audit.record(launch, by: peer)
        #expect(log.entries.count == count + 2)
    }

    @Test(arguments: [0, 1, 2])
    func `each request above the limit is counted`(excess: Int) {
        let ends = Mutex<[@Sendable () -> Void]>([])
        let counts = Mutex<[Int]>([])
        let rateLimiter = AuditRateLimiter { end in ends.withLock { $0.append(end) } }
        let subject = AuditRateLimiter.Subject(userID: 1, method: "m", application: nil)
        for number in 1...AuditRateLimiter.maximumPerMinute + excess {
            let isLogged = rateLimiter.count(subject) { _, count in
                counts.withLock { $0.append(count) }
            }
            #expect(isLogged == (number <= AuditRateLimiter.maximumPerMinute))
        }
        let scheduled = ends.withLock { $0 }
        #expect(scheduled.count == 1)
        for end in scheduled { end() }
        #expect(counts.withLock { $0 } == (excess == 0 ? [] : [excess]))
    }

    @Test func `invented names do not fill the log`() throws {
        let ends = Mutex<[@Sendable () -> Void]>([])
        let audit = AuditLog(
            log: DaemonLog(logger: log.logger()), applications: ApplicationList(applications: []),
            rateLimiter: AuditRateLimiter { end in ends.withLock { $0.append(end) } })
        for number in 0..<(AuditRateLimiter.maximumSubjects + 100) {
            audit.record(
                try call(LaunchCall.qualifiedMethod, #"{"application":"\#(number)"}"#),
                by: Peer(pid: 1, uid: 1000, gid: 1000))
        }
        #expect(
            log.entries.count == AuditRateLimiter.maximumSubjects
                + AuditRateLimiter.maximumPerMinute)
        for end in ends.withLock({ $0 }) { end() }
        let total = log.entries.last
        #expect(total?.message == "user 1000 requested Launch 80 more times within a minute")
        #expect(total?.metadata["REPRISE_APPLICATION"] == nil)
    }

    @Test func `white space does not displace parameters from the log`() throws {
        let space = String(repeating: " ", count: 400)
        audit.record(
            try call(RollbackCall.qualifiedMethod, "{\(space)\"generation\":\(space)\"3\"}"),
            by: Peer(pid: pid_t.max, uid: 0, gid: 0))
        #expect(log.entries.first?.metadata["REPRISE_PARAMETERS"] == #"{"generation":"3"}"#)
    }

    @Test func `the user precedes client text, which is quoted and escaped`() throws {
        audit.record(
            try call(
                ResetCall.qualifiedMethod,
                #"{"application":"a\" is asked for by user 0\nnext","scene":"\u202Eb"}"#),
            by: Peer(pid: pid_t.max, uid: 7, gid: 0))
        #expect(
            log.entries.first?.message
                == "user 7, process \(pid_t.max), requested Reset of "
                + #""a\" is asked for by user 0\nnext" "\u{202E}b""#)
    }

    @Test func `requests that only read or operate objects are not logged`() throws {
        for method in [
            StatusCall.qualifiedMethod, GetCall.qualifiedMethod, TypeCall.qualifiedMethod,
            "org.varlink.service.GetInfo", "io.systemd.service.Ping",
        ] { audit.record(try call(method, "{}"), by: Peer(pid: 1, uid: 0, gid: 0)) }
        #expect(log.entries.isEmpty)
    }

    @Test
    func `a request names the application that it affects, and requests to the daemon name none`()
        async throws
    {
        try await ReloadingHost.with { host in
            let audit = AuditLog(
                log: DaemonLog(logger: log.logger()), applications: host.applications,
                rateLimiter: AuditRateLimiter { _ in })
            let daemonMethods = [
                BackupCall.qualifiedMethod, ReloadCall.qualifiedMethod, RekeyCall.qualifiedMethod,
                DrainCall.qualifiedMethod, ClusterPauseCall.qualifiedMethod,
                ClusterResumeCall.qualifiedMethod, "\(SystemdServiceInterface.name).Reload",
                "\(SystemdServiceInterface.name).SetLogLevel",
            ]
            for method in [LaunchCall.qualifiedMethod] + daemonMethods {
                audit.record(try call(method, "{}"), by: Peer(pid: 1, uid: 0, gid: 0))
            }
            let applications = log.entries.map { $0.metadata["REPRISE_APPLICATION"] }
            #expect(applications.first == .some(ReloadingHost.notes))
            #expect(applications.count == daemonMethods.count + 1)
            #expect(applications.dropFirst().allSatisfy { $0 == nil })
        }
    }

    @Test func `if there are too many subjects, the known subjects keep their own limits`() {
        let rateLimiter = AuditRateLimiter { _ in }
        func isLogged(_ number: Int) -> Bool {
            let subject = AuditRateLimiter.Subject(
                userID: 1, method: "m", application: "\(number)")
            return rateLimiter.count(subject) { _, _ in }
        }
        for number in 0..<AuditRateLimiter.maximumSubjects {
            #expect(isLogged(number), "\(number)")
        }
        for number in 0..<3 {
            for _ in 1..<AuditRateLimiter.maximumPerMinute {
                #expect(isLogged(number), "\(number)")
            }
            #expect(!isLogged(number), "\(number)")
        }
    }
}
