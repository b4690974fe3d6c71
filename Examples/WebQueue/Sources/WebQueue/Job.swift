/// A user's job, which consists of ten steps.
package struct Job: Codable, Identifiable, Sendable {
    package static let stepCount = 10

    package let id: String
    package var title: String
    package var user: String
    package var completedSteps: Int

    package init(id: String, title: String, user: String, completedSteps: Int = 0) {
        self.id = id
        self.title = title
        self.user = user
        self.completedSteps = completedSteps
    }
}

/// All jobs, each of which is either waiting or finished.
package struct JobList: Codable, Sendable {
    package var waiting: [Job]
    package var finished: [Job]

    package init(waiting: [Job], finished: [Job]) {
        self.waiting = waiting
        self.finished = finished
    }
}
