import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// A file system with the state that goes away while the daemon runs.
@Suite(.serialized) struct UnmountTests {
    @Test func `L4: an unmount is no reset: the scene goes on, unsaved, and says so`() async throws
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
                    // Without any command the daemon notices it.
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
}
