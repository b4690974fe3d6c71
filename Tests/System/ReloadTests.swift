import Subprocess
import Testing

/// Files that change while the daemon runs under systemd.
@Suite(.serialized) struct ReloadTests {
    private static let child1 = "nav/parent/child1/textField"
    private static let storyboard = "/etc/reprise/storyboards/ChildViews.yaml"

    /// Compared fields of a journal record.
    private struct LoggedEvent: Equatable {
        var event: String
        var reason: String?
        var scene: String?
    }

    private func loggedEvent(_ record: Substring) -> LoggedEvent? {
        field("MESSAGE_ID", of: record).map { event in
            LoggedEvent(
                event: event, reason: field("REPRISE_REASON", of: record),
                scene: field("REPRISE_SCENE", of: record))
        }
    }

    @Test(arguments: Debian.allCases)
    func `R2: an edited storyboard is applied, and the journal records the steps in order`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            let process = try await container.property("MainPID")
            try await container.run(
                "sed", "-i", "s/title: Child Views/title: Edited/", Self.storyboard)
            try await container.awaitRecord(
                "MESSAGE_ID=\(MessageID.reloaded)", "REPRISE_REASON=change")
            try #require(try await container.control("get", "nav/parent", "title") == "Edited\n")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
            try await container.run("systemctl", "reload", "reprised")
            try await container.run("systemctl", "kill", "-s", "HUP", "reprised")
            try await container.awaitRecord(
                "MESSAGE_ID=\(MessageID.reloaded)", "REPRISE_REASON=signal")
            let records = try await container.records().compactMap(loggedEvent)
            let begin = try #require(
                records.firstIndex { $0.event == MessageID.reloadStarted && $0.reason == "change" })
            let sequence = records[begin...].filter { logged in
                [
                    MessageID.reloadStarted, MessageID.generationCreated, MessageID.launched,
                    MessageID.restored,
                    MessageID.scenesReloaded, MessageID.reloaded,
                ].contains(logged.event)
            }.map { $0.event == MessageID.generationCreated ? LoggedEvent(event: $0.event) : $0 }
            try #require(
                sequence == [
                    LoggedEvent(event: MessageID.reloadStarted, reason: "change"),
                    LoggedEvent(event: MessageID.generationCreated),
                    LoggedEvent(event: MessageID.launched, reason: "reload", scene: "main"),
                    LoggedEvent(event: MessageID.restored, reason: "reload", scene: "main"),
                    LoggedEvent(event: MessageID.scenesReloaded, reason: "reload"),
                    LoggedEvent(event: MessageID.reloaded, reason: "change"),
                    LoggedEvent(event: MessageID.reloadStarted, reason: "command"),
                    LoggedEvent(event: MessageID.reloaded, reason: "command"),
                    LoggedEvent(event: MessageID.reloadStarted, reason: "signal"),
                    LoggedEvent(event: MessageID.reloaded, reason: "signal"),
                ], "\(sequence)")
            try #require(try await container.property("MainPID") == process)
            try #require(try await container.property("ActiveState") == "active")
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `the unit status shows the position of a configuration error until it is fixed`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            let drop = "/etc/reprise/reprised.d/50-broken.yaml"
            try await container.run(
                "sh", "-c", "mkdir -p ${0%/*} && echo 'log: { level: loud }' >$0", drop)
            try await container.awaitRecord(
                "MESSAGE_ID=\(MessageID.refused)", "REPRISE_FILE=\(drop)")
            let refused = try #require(
                try await container.records("MESSAGE_ID=\(MessageID.refused)").last)
            try #require(field("REPRISE_LINE", of: refused) == "1")
            try #require(field("REPRISE_COLUMN", of: refused) == "15")
            let reload = try await container.attempt("reprisectl", "reload")
            try #require(reload.status == .exited(1), "\(reload)")
            try #require(reload.errors.hasPrefix("reprisectl: \(drop):1:15: "), "\(reload)")
            let statusText = try await container.property("StatusText")
            try #require(statusText.contains("\(drop):1:15: "), "\(statusText)")
            let unit = try await container.attempt("systemctl", "reload", "reprised")
            try #require(unit.status == .exited(1), "\(unit)")
            try #require(try await container.property("ActiveState") == "active")

            try await container.run("rm", drop)
            try await container.control("reload")
            let fixedStatus = try await container.property("StatusText")
            try #require(
                fixedStatus == "Hosting 4 applications with 4 scenes, everything is saved.",
                "\(fixedStatus)")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
        }
    }
}
