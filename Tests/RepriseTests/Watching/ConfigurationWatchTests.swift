import ExactText
import FileWatching
import Glibc
import Logging
import SystemPackage
import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ConfigurationWatchTests {
    /// Watches the configuration in a scratch directory during the body, which receives the reload requests.
    private func withConfigurationWatch(
        by watcher: Result<FileWatcher, FileWatchError>? = nil,
        _ body: (ScratchDirectory, ReloadRequestQueue, DaemonState) async throws -> Void
    ) async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("reprised.yaml", "applications: []")
        try scratch.write("storyboards/Main.yaml", "storyboard: Main")
        let requests = ReloadRequestQueue()
        let configuration = Configuration(applications: [])
        let daemonState = DaemonState(configuration)
        let quiet = Logger.quiet
        let watch = ConfigurationWatch(
            source: ConfigurationSource(
                availableApplications: [],
                options: DaemonOptions(configuration: "\(scratch.path)/reprised.yaml"),
                environment: [:], startupConfiguration: configuration, clock: ImmediateClock()),
            watcher: watcher ?? Result { () throws(FileWatchError) in try FileWatcher() },
            requests: requests,
            watchStatus: WatchStatusRecorder(
                daemonState: daemonState, log: DaemonLog(logger: quiet)))
        let running = Task { await watch.run() }
        #expect(await requests.next()?.triggers == [.start])
        try await body(scratch, requests, daemonState)
        running.cancel()
        await running.value
    }

    @Test(arguments: [
        "reprised.yaml", "storyboards/Main.yaml", "storyboards/Other.yaml",
        "reprised.d/10-new.yaml",
    ])
    func `writing or creating a file requests a reload`(name: String) async throws {
        try await withConfigurationWatch { scratch, requests, _ in
            try scratch.write(name, "# changed")
            #expect(await requests.next()?.triggers == [.change])
        }
    }

    @Test func `replacing or removing a file requests a reload`() async throws {
        try await withConfigurationWatch { scratch, requests, _ in
            try scratch.write("next", "# changed")
            try scratch.move("next", to: "storyboards/Main.yaml")
            #expect(await requests.next()?.triggers == [.change])
            try scratch.remove("storyboards/Main.yaml")
            #expect(await requests.next()?.triggers == [.change])
        }
    }

    @Test(arguments: ["reprised.yaml", "storyboards/Main.yaml", "storyboards"])
    func `changing the permissions of a file or directory requests a reload`(name: String)
        async throws
    {
        try await withConfigurationWatch { scratch, requests, _ in
            for mode: mode_t in [0, 0o700] {
                #expect(chmod("\(scratch.path)/\(name)", mode) == 0)
                #expect(await requests.next()?.triggers == [.change])
            }
        }
    }

    @Test func `creating a link or changing its target requests a reload`() async throws {
        let other = try ScratchDirectory()
        try other.write("Linked.yaml", "storyboard: Linked")
        try await withConfigurationWatch { scratch, requests, _ in
            try scratch.link("storyboards/Linked.yaml", to: "\(other.path)/Linked.yaml")
            #expect(await requests.next()?.triggers == [.change])
            try other.write("Linked.yaml", "storyboard: Changed")
            #expect(await requests.next()?.triggers == [.change])
        }
    }

    @Test
    func `a file on a file system that does not report all changes remains listed as not watched`()
        throws
    {
        let daemonState = DaemonState(Configuration(applications: []))
        let log = WatchStatusRecorder(daemonState: daemonState, log: DaemonLog(logger: .quiet))
        let target = FileTarget.file("/proc/version")
        let watcher = Result { () throws(FileWatchError) in try FileWatcher() }
        let events = try #require(log.events(of: target, by: watcher))
        let reason = "it is on proc, which does not report changes by other machines"
        #expect(daemonState.values.watchProblems == [ExactString("/proc/version"): reason])
        log.update(FileEvent(target, .attributes), of: events)
        #expect(daemonState.values.watchProblems == [ExactString("/proc/version"): reason])
    }

    @Test func `a file that is not watched is listed until it is watched again`() async throws {
        let daemonState = DaemonState(Configuration(applications: []))
        let log = WatchStatusRecorder(daemonState: daemonState, log: DaemonLog(logger: .quiet))
        let scratch = try ScratchDirectory()
        let target = FileTarget.file(FilePath(scratch.file("a")))
        let watcher = Result { () throws(FileWatchError) in try FileWatcher() }
        let events = try #require(log.events(of: target, by: watcher))
        #expect(daemonState.values.watchProblems.isEmpty)
        let failure = try await Self.failure()
        log.update(FileEvent(target, .lost, failure: failure), of: events)
        #expect(daemonState.values.watchProblems == [ExactString(scratch.file("a")): "\(failure)"])
        log.update(FileEvent(target, .lost), of: events)
        #expect(daemonState.values.watchProblems.isEmpty)
    }

    @Test
    func `without a watcher, each path is listed as not watched, and requested reloads still work`()
        async throws
    {
        let error = try await Self.failure()
        try await withConfigurationWatch(by: .failure(error)) { scratch, requests, daemonState in
            let reasons = daemonState.values.watchProblems
            #expect(
                Set(reasons.keys.map(\.text)) == [
                    "\(scratch.path)/reprised.yaml", "\(scratch.path)/reprised.d",
                    "\(scratch.path)/storyboards",
                ])
            #expect(Set(reasons.values) == ["\(error)"])
            requests.enqueue(.signal)
            #expect(await requests.next()?.triggers == [.signal])
        }
    }

    /// Returns the error of a closed watcher.
    private static func failure() async throws -> FileWatchError {
        let watcher = try FileWatcher()
        let events = try watcher.watch([.file("/nowhere")])
        watcher.close()
        for await _ in events {}
        let error = #expect(throws: FileWatchError.self) { try watcher.watch([.file("/nowhere")]) }
        return try #require(error)
    }

    @Test func `a watch is logged only when it becomes unreliable or is restored`() {
        let recorder = LogRecorder()
        let daemonState = DaemonState(Configuration(applications: []))
        let log = WatchStatusRecorder(
            daemonState: daemonState, log: DaemonLog(logger: recorder.logger()))
        for reason in [nil, "first", "first", "second", nil, nil] {
            log.update("/a", reason, application: "org.example.A")
        }
        log.update("/b", "first")
        #expect(
            recorder.events.map(\.event) == [
                .watchUnreliable, .watchUnreliable, .watchRestored, .watchUnreliable,
            ])
        #expect(
            recorder.events.map { $0.fields["REPRISE_APPLICATION"] }
                == ["org.example.A", "org.example.A", "org.example.A", nil])
    }

    @Test func `the files in each directory that can contain a configuration are watched`()
        async throws
    {
        let configuration = Configuration(applications: [])
        let daemonState = DaemonState(configuration)
        let requests = ReloadRequestQueue()
        let watch = ConfigurationWatch(
            source: ConfigurationSource(
                availableApplications: [], options: DaemonOptions(),
                environment: ["CONFIGURATION_DIRECTORY": "/a:/b"],
                startupConfiguration: configuration, clock: ImmediateClock()),
            watcher: .failure(try await Self.failure()), requests: requests,
            watchStatus: WatchStatusRecorder(
                daemonState: daemonState, log: DaemonLog(logger: .quiet)))
        let running = Task { await watch.run() }
        #expect(await requests.next()?.triggers == [.start])
        let directories = ["/a", "/b", "/etc/reprise"]
        #expect(
            Set(daemonState.values.watchProblems.keys.map(\.text))
                == Set(
                    directories.flatMap {
                        ["\($0)/reprised.yaml", "\($0)/reprised.d", "\($0)/storyboards"]
                    }))
        running.cancel()
        await running.value
    }
}
