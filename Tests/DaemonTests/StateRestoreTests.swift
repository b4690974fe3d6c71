import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// StateRestore, operated only with the command-line client.
struct StateRestoreTests {
    private static let list = "navController/tableViewController"
    private static let table = "navController/tableViewController/tableView"
    private static let detail = "navController/viewController"
    private static let titleField = "navController/viewController/EditField"
    private static let notesView = "navController/viewController/TextView"

    /// Returns the visible state of the list and of the open detail.
    private func visibleState(_ application: ControlledApplication) async throws -> [String] {
        try await application.values(
            Self.table, "visibleElements", "selectedElements", "selectedModelIdentifiers",
            "firstVisibleElement", "isEditing")
            + application.values(Self.titleField, "text")
            + application.values(Self.notesView, "text", "selectedRange", "contentOffset")
            + [application("show")]
    }

    /// Adds items, opens and changes one of them, and operates the list below it.
    private func edit(_ application: ControlledApplication) async throws {
        for _ in 1...4 { try await application("tap", Self.list + "/@addButton") }
        try await application("tap", Self.table, "--row", "4")
        try await application("type", Self.titleField, "Groceries")
        try await application(
            "type", Self.notesView, "Milk\nBread\nCheese\n🥕 carrots\nTea\nCoffee\nSalt\nEggs")
        try await application("type", Self.notesView, "--select", "14..14")
        try await application("scroll", Self.notesView, "0", "2")
        try await application("select", Self.table, "1", "2", "4")
        try await application("edit", Self.table, "on")
        try await application("move", Self.table, "4", "0")
        try await application("delete", Self.table, "2")
        try await application("scroll", Self.table, "0", "1")
    }

    @Test func `A2: the list and the open detail are restored after a kill`() async throws {
        try await Host.with { host in
            let application = host.application("StateRestore")
            let before = try await host.run(endingBy: .kill) { _ in
                try await edit(application)
                return try await visibleState(application)
            }.value
            try await host.run { _ in
                try #require(try await visibleState(application) == before)
                let list = try await application.values(
                    Self.table, "numberOfElements", "selectedElements", "firstVisibleElement",
                    "isEditing")
                try #require(list == ["7", "[0, 2]", "1", "true"])
                let notes = try await application.values(
                    Self.notesView, "selectedRange", "contentOffset")
                try #require(notes == ["14..<14", "{x: 0, y: 2}"])
                let titles = try host.document("Items.json", of: "StateRestore").text()
                    .split(separator: "\n").filter { $0.contains("\"title\"") }
                    .map { $0.split(separator: "\"")[3] }
                try #require(
                    titles == [
                        "New item", "Item 1", "Item 3", "Item 4", "New item", "New item",
                        "New item",
                    ])
            }
        }
    }

    /// Returns the items without one item, as if a user had edited the file.
    private func removing(_ title: String, _ items: String) throws -> String {
        var entries = items.split(separator: "}", omittingEmptySubsequences: false)
        let index = try #require(entries.firstIndex { $0.contains("\"\(title)\"") })
        entries.remove(at: index)
        return entries.joined(separator: "}")
    }

    @Test
    func `A2: the detail of an item that no longer exists is not restored, and report says so`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            let document = host.document("Items.json", of: "StateRestore")
            try await host.run { _ in
                try await application("tap", Self.table, "--row", "1")
                try await application("type", Self.titleField, "unsaved")
            }
            try document.write(Array(try removing("Item 2", document.text()).utf8))
            try await host.run { _ in
                let shown = try await application("show")
                try #require(shown.contains("Item 1") && !shown.contains("unsaved"), "\(shown)")
                try #require(!shown.contains("Item 2"), "\(shown)")
                let report = try await application("report")
                try #require(
                    report.contains("not restored: \(Self.detail) (restoration-class-nil)"),
                    "\(report)")
                let story = try await application("explain", Self.detail)
                try #require(story.contains("restoration class"), "\(story)")
            }
        }
    }

    @Test func `A2: a damaged model prevents the launch of the application and is left unchanged`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            let document = host.document("Items.json", of: "StateRestore")
            try await host.run { _ in try await application("tap", Self.table, "--row", "1") }
            let items = try document.text()
            try document.write(Array((items + "]").utf8))
            try await host.run { _ in
                let refusal = try await application.refusal("show")
                try #require(refusal.contains("Items.json"), "\(refusal)")
                try #require(try document.text() == items + "]")
                try await host.mustControl("show")
                try document.write(Array(items.utf8))
                try await application("launch")
                let restored = try await application("get", Self.titleField, "text")
                try #require(restored == "Item 2")
            }
        }
    }
}
