import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Homepwner, operated only with the command-line client.
struct HomepwnerTests {
    private static let items = "NavigationController/ItemsViewController"
    private static let pushed = "NavigationController/DetailViewController"
    private static let new = "NavigationController/NavigationController/DetailViewController"

    /// Opens the detail of a new possession and types its name and value.
    private func add(_ name: String, _ application: ControlledApplication) async throws {
        try await application("tap", Self.items + "/addButton")
        try await application("type", Self.new + "/nameField", name)
        try await application("type", Self.new + "/valueField", "42")
    }

    @Test func `A3: the pushed detail of a row is restored with its selection`() async throws {
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

    @Test func `A3: a new possession is restored in its second navigation controller`() async throws
    {
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
    func `R8: controllers above a detail without a possession are dropped, and explain says so`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("Homepwner")
            let document = host.document("Possessions.json", of: "Homepwner")
            let lamp = try await host.run { _ in
                try await add("Lamp", application)
                try await application("tap", Self.new + "/doneButton")
                let lamp = try document.text()
                try await add("Chair", application)
                try await application("tap", Self.new + "/doneButton")
                // The detail of the lamp is above the detail of the chair.
                try await application("tap", Self.items + "/tableView", "--row", "1")
                try await application("tap", Self.items + "/tableView", "--row", "0")
                return lamp
            }.value
            try document.write(Array(lamp.utf8))
            try await host.run { _ in
                let shown = try await application("show")
                try #require(shown.contains("Homepwner") && shown.contains("Lamp"), "\(shown)")
                try #require(!shown.contains("Detail"), "\(shown)")
                let report = try await application("report")
                try #require(
                    report.contains("not restored: \(Self.pushed) (restoration-class-nil)"),
                    "\(report)")
                try #require(
                    report.contains("not restored: \(Self.pushed)~2 (stack-cut)"), "\(report)")
                let story = try await application("explain", Self.pushed + "~2")
                try #require(story.contains("stack-cut"), "\(story)")
            }
        }
    }

    @Test func `A3: text that is not a number yet is restored as it was typed`() async throws {
        try await Host.with { host in
            let application = host.application("Homepwner")
            try await host.run(endingBy: .kill) { _ in
                try await add("Lamp", application)
                try await application("type", Self.new + "/valueField", "12a")
            }
            try await host.run { _ in
                let value = try await application("get", Self.new + "/valueField", "text")
                try #require(value == "12a")
                try await application("tap", Self.new + "/doneButton")
                let list = try await application("show")
                try #require(list.contains("42"), "\(list)")
            }
        }
    }

    @Test func `A3: a second tap on + while a new possession is presented adds nothing`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("Homepwner")
            try await host.run { _ in
                for _ in 1...2 { try await application("tap", Self.items + "/addButton") }
                let count = try await application(
                    "get", Self.items + "/tableView", "numberOfElements")
                try #require(count == "1")
            }
        }
    }

    @Test func `A3: a detail closes when another scene deletes its possession`() async throws {
        try await Host.with { host in
            let application = host.application("Homepwner")
            try await host.run { _ in
                try await add("Lamp", application)
                try await application("tap", Self.new + "/doneButton")
                try await application("tap", Self.items + "/tableView", "--row", "0")
                try await application("open", "second")
                try await application("--scene", "second", "delete", Self.items + "/tableView", "0")
                let shown = try await application("show")
                try #require(!shown.contains("Lamp") && !shown.contains("Detail"), "\(shown)")
                let refusal = try await application.refusal("get", Self.pushed)
                try #require(refusal.contains(Self.pushed), "\(refusal)")
            }
        }
    }

    @Test func `A3: two details of one possession do not overwrite each other`() async throws {
        try await Host.with { host in
            let application = host.application("Homepwner")
            try await host.run { _ in
                try await add("Lamp", application)
                try await application("tap", Self.new + "/doneButton")
                try await application("open", "second")
                try await application("tap", Self.items + "/tableView", "--row", "0")
                try await application(
                    "--scene", "second", "tap", Self.items + "/tableView", "--row", "0")
                try await application(
                    "--scene", "second", "type", Self.pushed + "/serialField", "S-123")
                try await application("type", Self.pushed + "/nameField", "Chair")
                let serialNumber = try await application(
                    "get", Self.pushed + "/serialField", "text")
                try #require(serialNumber == "S-123")
                let document = try host.document("Possessions.json", of: "Homepwner").text()
                try #require(document.contains("S-123") && document.contains("Chair"))
            }
        }
    }

    @Test func `R8: a new possession that no longer exists is not presented`() async throws {
        try await Host.with { host in
            let application = host.application("Homepwner")
            try await host.run { _ in try await add("Lamp", application) }
            try host.document("Possessions.json", of: "Homepwner").write(Array("[]".utf8))
            try await host.run { _ in
                let shown = try await application("show")
                try #require(shown.contains("Homepwner"), "\(shown)")
            }
        }
    }
}
