import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// A file system with the state that is unmounted or moved while the daemon runs.
@Suite(.serialized) struct UnmountTests {
    @Test
    func `L4: an unmount does not reset the scene, which continues and is reported as unsaved`()
        async throws
    {
        try requireRoot()
        try await Host.with { host in
            try host.configure(applications: Host.childViews)
            try await host.run(command: ["mkdir", "-p", "-m", "700", host.savedState.string])
            try await host.run(
                command: [
                    "mount", "-t", "tmpfs", "-o", "mode=700", "tmpfs", host.savedState.string,
                ])
            try await Mount.unmounting(host.savedState) {
                let ended = try await host.run { _ in
                    let client = try ControlClient(host)
                    try #require(try client.type(1, into: .child1).isSaved)
                    try await host.run(command: ["umount", "--lazy", host.savedState.string])
                    // The daemon detects the unmount without a command.
                    let deadline = ContinuousClock.now + .seconds(20)
                    while try client.status().saved != "no" { try #require(.now < deadline) }
                    let status = try client.status()
                    #expect(status.notSavedReason?.contains("mounted or unmounted") == true)
                    #expect(status.scenes.first?.launchReason == "pristine")
                    let content = try client.content(of: .child1)
                    #expect(content.text == Field.child1.text(1))
                    #expect(try client.type(2, into: .child1).saved == "no")
                    #expect(host.savedState.entries.isEmpty)
                }
                #expect(!ended.log.contains("its saved state was removed"), "\(ended.log)")
            }
        }
    }

    /// A change to the path of the state directory that is reverted later.
    enum Displacement: CaseIterable {
        case unmount, mountOver, mountAbove, rename, renameAbove
    }

    @Test(arguments: Displacement.allCases)
    func `L4: a displaced state directory is detected, and saving resumes when it is back`(
        displacement: Displacement
    ) async throws {
        try requireRoot()
        try await Host.with { host in
            try host.configure(applications: Host.childViews)
            let above = host.directory.appending("above")
            let state = above.appending("state")
            let movedPath = host.directory.appending("away")
            let disk = host.directory.appending("disk")
            let tmpfs = ["mount", "-t", "tmpfs", "-o", "mode=700", "tmpfs"]
            for directory in [above, state, disk] { try directory.createDirectory() }
            try await host.run(command: tmpfs + [disk.string])
            if displacement == .unmount {
                try await host.run(command: ["mount", "--bind", disk.string, state.string])
            }
            let steps: (displace: [String], restore: [String]) =
                switch displacement {
                case .unmount:
                    (
                        ["umount", "--lazy", state.string],
                        ["mount", "--bind", disk.string, state.string]
                    )
                case .mountOver: (tmpfs + [state.string], ["umount", state.string])
                case .mountAbove: (tmpfs + [above.string], ["umount", above.string])
                case .rename:
                    (
                        ["mv", state.string, movedPath.string],
                        ["mv", movedPath.string, state.string]
                    )
                case .renameAbove:
                    (
                        ["mv", above.string, movedPath.string],
                        ["mv", movedPath.string, above.string]
                    )
                }
            try await Mount.unmounting(disk) {
                try await Mount.unmounting(above) {
                    try await Mount.unmounting(state) {
                        let ended = try await host.run([
                            "--config", host.configuration.string, "--state-directory",
                            state.string, "--socket", host.socket.string,
                        ]) { _ in
                            let client = try ControlClient(host)
                            try #require(try client.type(1, into: .child1).isSaved)
                            try await host.run(command: steps.displace)
                            let deadline = ContinuousClock.now + .seconds(20)
                            while try client.status().notSavedReason?.contains("leads elsewhere")
                                != true
                            {
                                try #require(.now < deadline)
                            }
                            #expect(try client.type(2, into: .child1).saved == "no")
                            #expect(try client.preserve().saved == "no")
                            try await host.run(command: steps.restore)
                            while try client.status().saved == "no" {
                                try #require(.now < deadline)
                            }
                            try #require(try client.preserve().saved == "durable")
                            let content = try client.content(of: .child1)
                            #expect(content.text == Field.child1.text(2))
                        }
                        #expect(ended.status == .exited(0))
                        #expect(
                            !ended.log.contains("its saved state was removed"), "\(ended.log)")
                    }
                }
            }
        }
    }
}
