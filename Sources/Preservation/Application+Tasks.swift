extension Application {
    /// How long the end of the application waits for tasks that do not heed their cancellation.
    private static let taskPatience = Duration.seconds(1)

    /// Starts what the objects of the scenes have asked for: it runs on this actor (S4).
    func startTasks() {
        for scene in hosted?.live ?? [] where scene.tasks.hasNew {
            let tasks = scene.tasks
            tasks.start { number, body in
                runningTasks += 1
                return Task { [self] in
                    await body()
                    tasks.finish(number)
                    noteTaskEnded()
                }
            }
        }
    }

    /// Returns when every task has, so that nothing runs on the executor that is about to go; one
    /// that goes on in spite of its cancellation is not waited for long.
    func waitForTasks() async {
        if runningTasks == 0 { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [settings] in
                do { try await settings.clock.sleep(for: Self.taskPatience) } catch {}
                await self.stopWaitingForTasks()
            }
            await withCheckedContinuation { taskWaiter = $0 }
            group.cancelAll()
        }
    }

    private func noteTaskEnded() {
        runningTasks -= 1
        if runningTasks == 0 { stopWaitingForTasks() }
    }

    private func stopWaitingForTasks() {
        taskWaiter?.resume()
        taskWaiter = nil
    }
}
