import Logging
import Preservation
import StateRestoration
import TestSupport
import Testing
import Varlink
import VarlinkServing

@testable import Reprise

@Suite struct ReloaderTests {
    private typealias Host = ReloadingHost

    @Test func `an unchanged configuration launches nothing and adds no generation`() async throws {
        try await Host.with { host in
            let before = host.daemonState.values
            // The new file has different bytes and the same values.
            try host.scratch.write(
                "reprised.yaml", "# a comment\n" + Host.configuration("log: { level: info }"))
            #expect(try await host.reload() == ReloadReport())
            #expect(try await host.title(Host.notes) == "old")
            #expect(try await host.reason(Host.notes) == .pristine)
            #expect(try await host.application(Host.notes).history().isEmpty)
            #expect(host.daemonState.values == before)
            #expect(host.log.events.map(\.event) == [.reloadStarted, .reloaded])
            #expect(host.log.events[0].fields == ["REPRISE_REASON": "command"])
        }
    }

    @Test func `R2: only the application with a changed storyboard applies it`() async throws {
        try await Host.with { host in
            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("new"))
            let report = try await host.reload()
            #expect(
                report == ReloadReport(appliedChanges: ["the storyboards of org.example.Notes"]))
            #expect(try await host.title(Host.notes) == "new")
            #expect(try await host.reason(Host.notes) == .reload)
            #expect(try await host.title(Host.pictures) == "old")
            #expect(try await host.reason(Host.pictures) == .pristine)
            #expect(try await host.reload() == ReloadReport())
        }
    }

    @Test
    func `S3: a scene that the configuration adds is launched, and other scenes are unaffected`()
        async throws
    {
        try await Host.with { host in
            try host.scratch.write(
                "reprised.yaml",
                """
                applications:
                  - { bundleIdentifier: org.example.Notes, scenes: [main, second] }
                  - bundleIdentifier: org.example.Pictures
                """)
            let report = try await host.reload()
            #expect(report == ReloadReport(appliedChanges: ["the scenes of org.example.Notes"]))
            let application = try host.application(Host.notes)
            let second = try await application.perform(on: "second") { $0.name.text }.result
            #expect(second == "second")
            #expect(try await application.report(scene: "main").reason == .pristine)
        }
    }

    @Test func `changed keys are applied to the running daemon and reported`() async throws {
        try await Host.with { host in
            try host.scratch.write(
                "reprised.yaml",
                Host.configuration(
                    """
                    preservation: { interval: 7s, durability: commit }
                    replication: { interval: 3ms, timeout: 4s }
                    history: { count: 3, bytes: 1MiB, interval: 2h }
                    quarantine: { count: 4, bytes: 2MiB }
                    launch: { crashLimit: 2, timeout: 9s, eager: true, idle: 1h }
                    limits: { stateWarning: 2KiB, state: 4KiB, turn: 3s }
                    control: { connectionsPerUser: 5, requestBytes: 2KiB, unsentBytes: 3MiB, observers: adm }
                    metrics: { file: /run/reprise.prom }
                    log: { level: error }
                    debug: { exits: true }
                    """))
            let report = try await host.reload()
            let keys = ConfigurationKey.all.filter { $0.effect != .atRestart }
            #expect(report == ReloadReport(appliedChanges: keys.map(\.name)))
            for application in host.applications.applications {
                let settings = await application.settings
                #expect(settings.interval == .seconds(7))
                #expect(settings.durability == .commit)
                #expect(settings.replicationTimeout == .seconds(4))
                #expect(settings.launchTimeout == .seconds(9))
                #expect(settings.crashLimit == 2)
                #expect(settings.isLaunchEager)
                #expect(settings.idleTimeout == .seconds(3600))
                #expect(settings.limits == ValueLimits(warningBytes: 2048, maximumBytes: 4096))
                #expect(settings.maximumTurnDuration == .seconds(3))
                let history = HistorySettings(
                    count: 3, bytes: 1 << 20, interval: .seconds(7200))
                #expect(settings.history == history)
                #expect(settings.quarantine == QuarantineSettings(count: 4, bytes: 2 << 20))
                #expect(try await application.perform { $0.limits }.result == settings.limits)
            }
            #expect(host.server.limits.maximumConnectionsPerUser == 5)
            #expect(host.server.limits.maximumRequestBytes == 2048)
            #expect(host.server.limits.maximumUnreadBytesPerUser == 3 << 20)
            #expect(host.server.limits.makeRequestTooLargeError != nil)
            #expect(host.server.limits.makeTooManyConnectionsError != nil)
            #expect(host.daemonState.values.configuration.replication.interval == .milliseconds(3))
            #expect(host.level.level == .error)
            #expect(host.daemonState.values.configuration.debug.allowsDebugExit)
            #expect(host.daemonState.values.configuration.control.observerGroup == "adm")
            #expect(host.daemonState.values.configuration.metrics.filePath == "/run/reprise.prom")
            #expect(try await host.reason(Host.notes) == .pristine)
        }
    }

    @Test func `keys that require a restart are reported as waiting`()
        async throws
    {
        #if Etcd
            let cluster = """
                cluster:
                  name: panels
                  host: two
                  endpoints: [http://127.0.0.1:1]
                  certificateAuthority: /etc/ssl/ca.crt
                  lease: 20s
                  applications: [org.example.Notes]

                """
        #else
            let cluster = ""
        #endif
        try await Host.with { host in
            try host.scratch.write(
                "reprised.yaml",
                Host.configuration(
                    cluster
                        + """
                        preservation: { encryption: credential }
                        control: { socket: /run/other }
                        """))
            let keys = ConfigurationKey.all.filter {
                $0.effect == .atRestart && ($0.section != "cluster" || !cluster.isEmpty)
            }
            #expect(try await host.reload() == ReloadReport(changesAtRestart: keys.map(\.name)))
        }
    }

    @Test func `the command line's log level overrides the configuration's log level`() async throws
    {
        try await Host.with(logLevel: .notice) { host in
            try host.scratch.write("reprised.yaml", Host.configuration("log: { level: error }"))
            #expect(try await host.reload() == ReloadReport())
            #expect(host.level.level == .notice)
        }
    }

    @Test func `a log level set by a client applies until the configured level changes`()
        async throws
    {
        try await Host.with { host in
            host.level.level = .critical
            #expect(try await host.reload() == ReloadReport())
            try host.scratch.write("reprised.yaml", Host.configuration("debug: { exits: true }"))
            #expect(try await host.reload() == ReloadReport(appliedChanges: ["debug.exits"]))
            #expect(host.level.level == .critical)
            try host.scratch.write(
                "reprised.yaml",
                Host.configuration("debug: { exits: true }\nlog: { level: error }"))
            #expect(try await host.reload() == ReloadReport(appliedChanges: ["log.level"]))
            #expect(host.level.level == .error)
        }
        try await Host.with(logLevel: .notice) { host in
            host.level.level = .critical
            try host.scratch.write("reprised.yaml", Host.configuration("log: { level: error }"))
            #expect(try await host.reload() == ReloadReport())
            #expect(host.level.level == .critical)
        }
    }

    @Test func `a socket named on the command line does not wait for the configured socket`()
        async throws
    {
        try await Host.with(socket: "/run/own") { host in
            try host.scratch.write(
                "reprised.yaml", Host.configuration("control: { socket: /run/other }"))
            #expect(try await host.reload() == ReloadReport())
        }
    }

    @Test
    func `an application that could not be launched is launched once its storyboard is fixed`()
        async throws
    {
        let refused = Host.storyboard("old", name: "Refused")
        try await Host.with(notes: refused) { host in
            let application = try host.application(Host.notes)
            guard case .failed = await application.status().phase else {
                Issue.record("it was launched")
                return
            }
            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("new"))
            let report = try await host.reload()
            #expect(
                report == ReloadReport(appliedChanges: ["the storyboards of org.example.Notes"]))
            #expect(await application.status().phase == .running)
            #expect(try await host.title(Host.notes) == "new")
        }
    }

    @Test func `changes that require a restart are reported until they are applied or undone`()
        async throws
    {
        try await Host.with { host in
            try host.scratch.write(
                "reprised.yaml",
                """
                applications:
                  - bundleIdentifier: org.example.Maps
                  - bundleIdentifier: org.example.Notes
                control: { socket: /run/other }
                """)
            let changesAtRestart = [
                "control.socket", "the application org.example.Maps, which was added",
                "the application org.example.Pictures, which was removed and runs until then",
            ]
            for _ in 1...2 {
                #expect(try await host.reload() == ReloadReport(changesAtRestart: changesAtRestart))
                #expect(host.daemonState.values.changesAtRestart == changesAtRestart)
            }
            #expect(host.log.events.filter { $0.event == .restartRequired }.count == 6)
            #expect(try await host.title(Host.pictures) == "old")

            try host.scratch.write(
                "reprised.yaml",
                """
                applications:
                  - bundleIdentifier: org.example.Pictures
                  - bundleIdentifier: org.example.Notes
                """)
            #expect(
                try await host.reload()
                    == ReloadReport(changesAtRestart: ["the order of the applications"]))
            try host.scratch.write("reprised.yaml", Host.configuration())
            #expect(try await host.reload() == ReloadReport())
            #expect(host.daemonState.values.changesAtRestart == [])
        }
    }

    @Test func `L6: a storyboard for another version waits, and other changes are applied`()
        async throws
    {
        try await Host.with { host in
            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("n", version: "4"))
            try host.scratch.write("storyboards/Pictures.yaml", Host.storyboard("new"))
            try host.scratch.write("reprised.yaml", Host.configuration("log: { level: debug }"))
            let report = try await host.reload()
            #expect(
                report.appliedChanges == ["log.level", "the storyboards of org.example.Pictures"])
            #expect(report.failures == [])
            let file = "\(host.scratch.path)/storyboards/Notes.yaml"
            let clause =
                "the storyboards of org.example.Notes: \(file):2:16: the storyboard is for "
            #expect(report.changesAtRestart.count == 1)
            let waiting = try #require(report.changesAtRestart.first)
            #expect(waiting.hasPrefix(clause + "version \"4\""))
            #expect(waiting.hasSuffix("A restart of this version would fail with status 78."))
            #expect(host.daemonState.values.configurationError == nil)
            #expect(try await host.title(Host.notes) == "old")
            #expect(try await host.title(Host.pictures) == "new")
        }
    }

    @Test func `every storyboard that waits or has an error is reported`() async throws {
        try await Host.with { host in
            try host.scratch.write(
                "reprised.yaml",
                """
                applications:
                  - { bundleIdentifier: org.example.Notes, storyboards: [Notes.yaml, More.yaml] }
                  - bundleIdentifier: org.example.Pictures
                """)
            let names = ["Notes", "More"]
            for name in names {
                try host.scratch.write(
                    "storyboards/\(name).yaml", Host.storyboard("new", name: name, version: "4"))
            }
            let waiting = try await host.reload().changesAtRestart
            #expect(waiting.count == 2)
            for (clause, name) in zip(waiting, names) {
                #expect(clause.contains("/storyboards/\(name).yaml:2:16: "))
            }
            for name in names {
                try host.scratch.write("storyboards/\(name).yaml", "storyboard: [")
            }
            guard case .refused(let error) = await host.reloader.reload(because: [.change]) else {
                Issue.record("it was taken over")
                return
            }
            for name in names { #expect("\(error)".contains("/storyboards/\(name).yaml:")) }
        }
    }

    @Test
    func
        `an invalid configuration is refused with its positions and changes nothing until it is fixed`()
        async throws
    {
        try await Host.with { host in
            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("new"))
            try host.scratch.write(
                "reprised.yaml",
                Host.configuration("log: { level: loud }\npreservation: { interval: 5 }"))
            guard case .refused(let error) = await host.reloader.reload(because: [.change]) else {
                Issue.record("it was taken over")
                return
            }
            let file = "\(host.scratch.path)/reprised.yaml"
            let lines = "\(error)".split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines[0].hasPrefix("\(file):4:15: log.level is \"loud\""))
            #expect(lines[1].hasPrefix("\(file):5:27: preservation.interval is \"5\""))
            #expect(
                host.daemonState.values.configurationError
                    == "\(error)\na start with this would fail with status 78")
            #expect(try await host.title(Host.notes) == "old")
            let configurationRefused = host.log.events.filter { $0.event == .configurationRefused }
            #expect(
                configurationRefused.map(\.fields) == [
                    ["REPRISE_FILE": file, "REPRISE_LINE": "4", "REPRISE_COLUMN": "15"],
                    ["REPRISE_FILE": file, "REPRISE_LINE": "5", "REPRISE_COLUMN": "27"],
                ])

            try host.scratch.write("reprised.yaml", Host.configuration())
            _ = try await host.reload()
            #expect(host.daemonState.values.configurationError == nil)
            #expect(try await host.title(Host.notes) == "new")
        }
    }

    @Test func `an application that refuses its storyboard continues, and others apply theirs`()
        async throws
    {
        try await Host.with { host in
            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("n", name: "Refused"))
            try host.scratch.write("storyboards/Pictures.yaml", Host.storyboard("new"))
            for _ in 1...2 {
                let report = try await host.reload()
                #expect(report.failures.count == 1)
                let sentence = try #require(report.failures.first)
                #expect(
                    sentence.hasPrefix(
                        "org.example.Notes was not reloaded and continues as before: "))
                #expect(sentence.contains("nobody wants this storyboard"))
                #expect(host.daemonState.values.configurationError == sentence)
                #expect(try await host.title(Host.notes) == "old")
                #expect(try await host.title(Host.pictures) == "new")
            }
            let logged = host.log.events.filter { $0.event == .applicationNotReloaded }
            #expect(
                logged.map(\.fields)
                    == Array(repeating: ["REPRISE_APPLICATION": Host.notes], count: 2))

            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("mended"))
            _ = try await host.reload()
            #expect(host.daemonState.values.configurationError == nil)
            #expect(try await host.title(Host.notes) == "mended")
        }
    }

    @Test func `every application that refuses its storyboard is reported`() async throws {
        try await Host.with { host in
            for name in ["Notes", "Pictures"] {
                try host.scratch.write(
                    "storyboards/\(name).yaml", Host.storyboard("new", name: "Refused"))
            }
            let report = try await host.reload()
            #expect(report.appliedChanges.isEmpty)
            #expect(report.failures.count == 2)
            for (failure, name) in zip(report.failures, [Host.notes, Host.pictures]) {
                #expect(failure.hasPrefix("\(name) was not reloaded and continues as before: "))
            }
            #expect(
                host.daemonState.values.configurationError
                    == report.failures.joined(separator: "\n"))
            let logged = host.log.events.filter { $0.event == .applicationNotReloaded }
            #expect(
                logged.map(\.fields) == [
                    ["REPRISE_APPLICATION": Host.notes], ["REPRISE_APPLICATION": Host.pictures],
                ])
        }
    }

    @Test func `a missing file is looked up again after a delay before a reload is refused`()
        async throws
    {
        let clock = ImmediateClock()
        try await Host.with(clock: clock) { host in
            try host.scratch.remove("storyboards/Notes.yaml")
            clock.onSleep = {
                try? host.scratch.write("storyboards/Notes.yaml", Host.storyboard("new"))
            }
            _ = try await host.reload()
            #expect(try await host.title(Host.notes) == "new")

            clock.onSleep = {}
            try host.scratch.remove("storyboards/Notes.yaml")
            let outcome = await host.reloader.reload(because: [.change])
            guard case .refused(.unreadable(let error)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(error.reason == .missing)
            #expect(try await host.title(Host.notes) == "new")
        }
    }

    @Test(arguments: [
        ([ReloadTrigger.start], Logger.Level.debug), ([.signal], .notice), ([.command], .notice),
        ([.change], .info), ([.change, .signal], .notice), ([.change, .command], .notice),
        ([.start, .change], .info),
    ])
    func `the log level of a reload without changes depends on what requested the reload`(
        triggers: [ReloadTrigger], level: Logger.Level
    ) async throws {
        try await Host.with { host in
            _ = await host.reloader.reload(because: triggers)
            let entry = try #require(host.log.entries.last)
            #expect(entry.level == level)
            #expect(
                entry.metadata == [
                    "MESSAGE_ID": DaemonEvent.reloaded.rawValue,
                    "REPRISE_REASON": triggers.map(\.rawValue).joined(separator: ", "),
                ])
        }
    }

    @Test func `applications apply their keys even if other keys changed before them`()
        async throws
    {
        try await Host.with { host in
            try host.scratch.write(
                "reprised.yaml",
                Host.configuration("replication: { interval: 3ms, timeout: 4s }"))
            let report = try await host.reload()
            #expect(report.appliedChanges == ["replication.interval", "replication.timeout"])
            for application in host.applications.applications {
                #expect(await application.settings.replicationTimeout == .seconds(4))
            }
        }
    }

    @Test func `a log level on the command line affects only the key for the log level`()
        async throws
    {
        try await Host.with(logLevel: .notice) { host in
            try host.scratch.write(
                "reprised.yaml",
                Host.configuration("debug: { exits: true }\nlog: { level: error }"))
            #expect(try await host.reload() == ReloadReport(appliedChanges: ["debug.exits"]))
        }
    }

    @Test func `changes are logged even if an application did not apply its storyboard`()
        async throws
    {
        try await Host.with { host in
            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("n", name: "Refused"))
            try host.scratch.write("storyboards/Pictures.yaml", Host.storyboard("new"))
            _ = try await host.reload()
            #expect(
                host.log.events.map(\.event) == [
                    .reloadStarted, .applicationNotReloaded, .reloaded,
                ])
            #expect(host.log.entries.last?.level == .notice)
        }
    }

    @Test func `an application that still cannot be launched after a reload is reported`()
        async throws
    {
        try await Host.with(notes: Host.storyboard("old", name: "Refused")) { host in
            try host.scratch.write("storyboards/Notes.yaml", Host.storyboard("n", name: "Refused"))
            let report = try await host.reload()
            #expect(report.appliedChanges.isEmpty)
            #expect(report.failures.count == 1)
            #expect(report.failures.first?.contains("nobody wants this storyboard") == true)
        }
    }

    @Test(arguments: [nil, "/run/own"])
    func `a socket from elsewhere hides only the change of the configured socket`(
        socket: String?
    ) async throws {
        try await Host.with(socket: socket) { host in
            try host.scratch.write(
                "reprised.yaml",
                Host.configuration(
                    "preservation: { encryption: credential }\ncontrol: { socket: /run/other }"))
            var source = host.reloader.source
            if socket == nil { source.passedSocketsDescription = "/run/passed" }
            let reloader = Reloader(
                source: source, applications: host.applications, server: host.server,
                level: host.level, daemonState: host.daemonState, log: host.reloader.log)
            let report = ReloadReport(changesAtRestart: ["preservation.encryption"])
            #expect(await reloader.reload(because: [.command]) == .done(report))
        }
    }

    @Test func `an application that is added after the others waits for a restart`() async throws {
        try await Host.with { host in
            try host.scratch.write(
                "reprised.yaml", Host.configuration("  - bundleIdentifier: org.example.Maps"))
            let clause = "the application org.example.Maps, which was added"
            #expect(try await host.reload() == ReloadReport(changesAtRestart: [clause]))
        }
    }

    @Test func `L6: a storyboard of any application can wait for another version`() async throws {
        try await Host.with { host in
            try host.scratch.write(
                "storyboards/Pictures.yaml", Host.storyboard("n", version: "4"))
            let waiting = try await host.reload().changesAtRestart
            #expect(waiting.count == 1)
            #expect(waiting.first?.hasPrefix("the storyboards of org.example.Pictures: ") == true)
        }
    }
}
