import ControllerKit
import FoundationEssentials
import Preservation
import Reprise
import ServiceLifecycle
import StateRestoration

/// A daemon for an operator's panel that is restored after a restart or a crash.
@main struct OperatorPanel {
    static let bundleIdentifier = "org.example.OperatorPanel"

    static func main() async {
        await Daemon.main(
            ProgramDescription(name: "operatorpanel", version: "1.0"),
            applications: [
                HostedApplication(
                    bundleIdentifier: bundleIdentifier, bundleVersion: "1.0",
                    registerClasses: { classes in
                        classes.register(controller: PanelViewController.self)
                        classes.register(controller: AlarmsViewController.self)
                    },
                    makeDelegate: { _ in PanelDelegate() })
            ]
        ) { applications in
            applications[bundleIdentifier].map { [Plant(application: $0)] } ?? []
        }
    }
}

/// A delegate that creates the window with its two tabs before state is restored.
final class PanelDelegate: ApplicationDelegate {
    let window: Window? = Window()
    let panel = PanelViewController()
    let alarms = AlarmsViewController()

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
        panel.title = "Panel"
        panel.restorationIdentifier = "panel"
        alarms.title = "Alarms"
        alarms.restorationIdentifier = "alarms"
        let tabs = TabBarController()
        tabs.restorationIdentifier = "tabs"
        tabs.viewControllers = [panel, alarms]
        window?.rootViewController = tabs
        window?.makeKeyAndVisible()
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }
}

/// A service that simulates a plant and shows its readings.
struct Plant: Service {
    let application: Application
    /// Time between two readings, from the environment variable `READING_INTERVAL`, in milliseconds.
    private static let interval = Duration.milliseconds(
        ProcessInfo.processInfo.environment["READING_INTERVAL"].flatMap(Int.init) ?? 1000)

    func run() async throws {
        try await application.waitUntilReady()
        let before = try await application.read { scene in
            (scene.delegate as? PanelDelegate)?.panel.readings ?? 0
        }
        print("panel restored with \(before) readings")
        while !Task.isShuttingDownGracefully {
            do {
                print("panel has \(try await showReading()) readings")
            } catch ApplicationError.notRunning {
                // An operator quit the application. `reprisectl launch` starts it again.
                for await _ in application.changes.cancelOnGracefulShutdown()
                where await application.status().phase == .running { break }
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    /// Shows a reading and returns the number of readings.
    private func showReading() async throws -> Int {
        // The readings continue while the disk is full, because saving is retried.
        try await application.performEvenIfUnsaved { scene in
            guard let delegate = scene.delegate as? PanelDelegate else { return 0 }
            let reading = Double((delegate.panel.readings * 7919) % 1000) / 10
            if delegate.panel.show(reading) { delegate.alarms.raise("\(reading) degrees") }
            return delegate.panel.readings
        }.result
    }
}
