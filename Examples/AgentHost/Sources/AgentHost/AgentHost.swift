import Preservation
import Reprise
import ServiceLifecycle
import StateRestoration

/// A daemon that hosts a hundred conversations and continues each of them after a restart.
@main struct AgentHost {
    static let bundleIdentifier = "org.example.AgentHost"

    static func main() async {
        await Daemon.main(
            ProgramDescription(name: "agenthost", version: "1.0"),
            applications: [
                HostedApplication(bundleIdentifier: bundleIdentifier, bundleVersion: "1.0") {
                    objects in
                    try objects.list(.sessions) { AgentSession($0) }
                }
            ]
        ) { applications in
            applications[bundleIdentifier].map { [Agents(application: $0)] } ?? []
        }
    }
}

/// Opens the conversations and adds turns to them.
struct Agents: Service {
    let application: Application
    private static let count = 100

    func run() async throws {
        try await application.waitUntilReady()
        for (name, turns) in try await open() { print("\(name) restored with \(turns) turns") }
        var number = 0
        while !Task.isShuttingDownGracefully {
            number = (number + 37) % Self.count
            do {
                try await work(on: "agent\(number)")
            } catch ApplicationError.notRunning {
                // An operator quit the application. `reprisectl launch` starts it again.
                for await _ in application.changes.cancelOnGracefulShutdown()
                where await application.status().phase == .running { break }
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private func work(on name: String) async throws {
        // The conversation continues while the disk is full, because saving is retried.
        let turns = try await application.performEvenIfUnsaved { scene -> Int? in
            guard let session = scene.list(.sessions)?[name], !session.isEnded else { return nil }
            try session.say("a thought that is long enough to be worth saving")
            return session.turns
        }.result
        if let turns { print("\(name) has \(turns) turns") }
    }

    /// Opens any missing conversations and returns the number of turns in each conversation.
    private func open() async throws -> [(name: String, turns: Int)] {
        for number in 0..<Self.count {
            let name = "agent\(number)"
            let token = try await Vault.token(of: name)
            _ = try await application.performEvenIfUnsaved { scene in
                guard let sessions = scene.list(.sessions), sessions[name] == nil else { return }
                try sessions.add(name).begin(with: token)
            }
        }
        return try await application.performEvenIfUnsaved { scene in
            guard let sessions = scene.list(.sessions) else { return [] }
            for (session, helper) in zip(sessions.objects, sessions.objects.dropFirst())
            where session.helper == nil {
                session.helper = helper
            }
            precondition(sessions.objects.allSatisfy(\.isWhole), "a transcript is incomplete")
            return sessions.objects.map { ($0.name, $0.turns) }
        }.result
    }
}
