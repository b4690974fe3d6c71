/// What `Reload` answers.
package struct ReloadReply: Codable, Sendable {
    package var changed: [String]
    package var waiting: [String]

    package init(changed: [String], waiting: [String]) {
        self.changed = changed
        self.waiting = waiting
    }
}
