import DaemonHost
import Testing

/// `reprisectl show` for saved state.
struct SnapshotTests {
    @Test func `a generation and a closed scene are shown as they looked when they were saved`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "earlier")
                try await host.mustControl("quit")
                try await host.mustControl("launch")
                try await host.mustControl("type", Paths.child1, "later")
                let generation = try await host.mustControl("show", "--generation", "1")
                try #require(generation.contains("│ earlier"), "\(generation)")
                try #require(
                    generation.contains("the scene looked like this from 20"), "\(generation)")
                let now = try await host.mustControl("show")
                try #require(
                    now.contains("│ later") && !now.contains("the scene looked like this"), "\(now)"
                )

                try await host.mustControl("open", "second")
                try await host.mustControl("--scene", "second", "type", Paths.child1, "closed")
                try await host.mustControl("close", "second")
                let saved = try await host.mustControl("--scene", "second", "show", "--saved")
                try #require(saved.contains("│ closed"), "\(saved)")
                let list = try await host.mustControl("list")
                try #require(list.contains("second (saved)"), "\(list)")

                let both = try await host.control("show", "--saved", "--generation", "1")
                try #require(both.errors.contains("cannot be used together"), "\(both)")
                let none = try await host.control("show", "--quarantined", "nothing")
                try #require(none.errors.contains("nothing"), "\(none)")
            }
        }
    }
}
