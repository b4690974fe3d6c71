import Subprocess
import SystemPackage
import Testing

/// Homepwner through the command line alone.
struct HomepwnerTests {
    private static let items = "NavigationController/ItemsViewController"
    private static let pushed = "NavigationController/DetailViewController"
    private static let new = "NavigationController/NavigationController/DetailViewController"

    /// Adds something of this name.
    private func add(_ name: String, _ application: ControlledApplication) async throws {
        try await application("tap", Self.items + "/addButton")
        try await application("type", Self.new + "/nameField", name)
        try await application("type", Self.new + "/valueField", "42")
    }

    @Test func `A3: a row's detail comes back pushed, with its caret`() async throws {
        try await Host.with { host in
            let application = host.application("Homepwner")
            let before = try await host.run(endingBy: .kill) { _ in
                try await add("Lamp", application)
                try await application("tap", Self.new + "/doneButton")
                try await application("tap", Self.items + "/tableView", "--row", "0")
                try await application("type", Self.pushed + "/nameField", "--select", "2..3")
                return try await application("show")
            }.value
            try #require(before.contains("La«m»p"), "\(before)")
            try await host.run { _ in
                try #require(try await application("show") == before)
                let report = try await application("report")
                try #require(!report.contains("not restored"), "\(report)")
                try await application("back")
                let list = try await application("show")
                try #require(list.contains("Lamp") && list.contains("42"), "\(list)")
            }
        }
    }

    @Test func `A3: a new one comes back in its second navigation controller`() async throws {
        try await Host.with { host in
            let application = host.application("Homepwner")
            let before = try await host.run(endingBy: .kill) { _ in
                try await add("Chair", application)
                return try await application("show")
            }.value
            try #require(before.contains("Cancel") && before.contains("Chair"), "\(before)")
            try await host.run { _ in
                try #require(try await application("show") == before)
                try await application("tap", Self.new + "/cancelButton")
                let list = try await application("show")
                try #require(!list.contains("Chair"), "\(list)")
            }
        }
    }

    @Test
    func `R8: without its possession a pushed detail is cut off the stack, and explain tells`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("Homepwner")
            try await host.run { _ in
                try await add("Lamp", application)
                try await application("tap", Self.new + "/doneButton")
                try await application("tap", Self.items + "/tableView", "--row", "0")
            }
            try host.document("Possessions.json", of: "Homepwner").write(Array("[]".utf8))
            try await host.run { _ in
                let shown = try await application("show")
                try #require(shown.contains("Homepwner") && !shown.contains("Lamp"), "\(shown)")
                let story = try await application("explain", Self.pushed)
                try #require(story.contains("restoration class"), "\(story)")
            }
        }
    }
}
