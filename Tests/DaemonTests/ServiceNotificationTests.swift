import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Notifications to the service manager (`sd_notify(3)`).
struct ServiceNotificationTests {
    @Test func `READY is sent once the state is restored and the socket is served`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "before")
            }
            try await host.run { daemon in
                let reply = try RawSocket.call(
                    host.socket, "org.reprise.Control.Get",
                    #"{"path":"\#(Paths.child1)","key":"text"}"#)
                try #require(reply == #"{"parameters":{"value":"before"}}"#)
                let status = try #require(daemon.ready.first { $0.hasPrefix("STATUS=") })
                #expect(
                    status == "STATUS=Hosting 4 applications with 4 scenes, everything is saved.")
            }
        }
    }

    @Test(arguments: [Signal.terminate, .interrupt])
    func `a stop is reported, saves everything and succeeds`(signal: Signal) async throws {
        try await Host.with { host in
            let first = try await host.run(endingBy: signal) { _ in
                try await host.mustControl("type", Paths.child1, "kept")
            }
            try #require(first.status == .exited(0), "\(first)")
            let last = try #require(first.messages.last)
            try #require(last == ["STOPPING=1", "STATUS=Stopping: saving everything."])
            try #require(!host.socket.isSocket)
            try await host.run { _ in
                try await host.require(child1: "kept", reason: "restore")
            }
        }
    }

    @Test func `the watchdog is notified while the daemon runs`() async throws {
        try await Host.with { host in
            let ended = try await host.run(environment: ["WATCHDOG_USEC": "200000"]) { daemon in
                for _ in 1...3 { try await daemon.notifications.wait(for: "WATCHDOG=1") }
            }
            try #require(ended.status == .exited(0))
        }
    }

    @Test func `without a watchdog, no watchdog notifications are sent`() async throws {
        try await Host.with { host in
            let ended = try await host.run { _ in try await host.mustControl("preserve") }
            try #require(!ended.messages.contains { $0.contains("WATCHDOG=1") })
        }
    }

    @Test func `no thread runs in Dispatch's global pool, which would then wake up every second`()
        async throws
    {
        try await Host.with { host in
            try await host.run { daemon in
                try await host.mustControl("type", Paths.child1, "kept")
                try await host.mustControl("preserve")
                let threads = FilePath("/proc/\(daemon.process)/task")
                let names = try threads.entries.map {
                    try threads.appending($0).appending("comm").text()
                }
                #expect(names.contains { $0.hasPrefix("NIO-ELT") }, "\(names)")
                // Threads of the pool are named after their queue, com.apple.root.default-qos. The names of the threads
                // of the daemon's own queues end with "overcommit".
                #expect(!names.contains { $0.hasSuffix("-qos\n") }, "\(names)")
            }
        }
    }

    @Test func `a reload is reported with its time, and the daemon continues to run`() async throws
    {
        try await Host.with { host in
            let ended = try await host.run { daemon in
                try await host.mustControl("type", Paths.child1, "kept")
                try daemon.send(.terminalClosed)
                let reloading = try await daemon.notifications.wait(for: "RELOADING=1")
                let time = reloading.first { $0.hasPrefix("MONOTONIC_USEC=") }
                try #require(UInt64(try #require(time).dropFirst(15)) ?? 0 > 0)
                try await daemon.notifications.wait(for: "READY=1")
                try await host.require(child1: "kept", reason: "pristine")
            }
            try #require(ended.status == .exited(0))
        }
    }

    @Test func `a reload of an invalid configuration is reported, and the daemon continues to run`()
        async throws
    {
        try await Host.with { host in
            let ended = try await host.run { daemon in
                try host.replace("level: info", by: "level: loud", in: host.configuration)
                try daemon.send(.terminalClosed)
                try await daemon.notifications.wait(for: "RELOADING=1")
                try await daemon.notifications.wait(for: "READY=1")
                try await host.require(child1: "", reason: "pristine")
            }
            try #require(ended.status == .exited(0))
            #expect(ended.log.contains("the configuration was not applied"))
            #expect(ended.log.contains("\(host.configuration):"))
        }
    }

    @Test func `a failed start reports the reason to the service manager`() async throws {
        try await Host.with { host in
            let notifications = try NotifySocket(path: host.directory.appending("notify"))
            let result = try await host.attempt(
                ["--config", "nowhere.yaml"],
                environment: ["NOTIFY_SOCKET": notifications.path.string])
            try #require(result.status == .exited(78))
            await notifications.end()
            let message = try #require(notifications.messages.last)
            #expect(message.contains("ERRNO=22"))
            #expect(message.contains { $0.hasPrefix("STATUS=Failed: nowhere.yaml does not exist") })
        }
    }
}
