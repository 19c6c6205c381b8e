// Asks a broker what KafkaJS's admin client can learn and what is refused, and prints it as one
// JSON object: what was asked -> the answer, or the error.
const {
  AclOperationTypes, AclPermissionTypes, AclResourceTypes, Kafka, ResourcePatternTypes, logLevel,
} = require('kafkajs')

const RULE = {
  resourceType: AclResourceTypes.TOPIC,
  resourceName: 't',
  resourcePatternType: ResourcePatternTypes.LITERAL,
  principal: 'User:me',
  host: '*',
  operation: AclOperationTypes.READ,
  permissionType: AclPermissionTypes.ALLOW,
}

async function main() {
  const kafka = new Kafka({
    brokers: [process.argv[2]], logLevel: logLevel.NOTHING, retry: { retries: 0 },
  })
  const admin = kafka.admin()
  await admin.connect()
  const found = {}
  const note = async (asked, call) => {
    try {
      await call()
      found[asked] = 'no error'
    } catch (error) {
      found[asked] = `${error.name} ${error.type} ${error.code}: ${error.message}`
    }
  }
  await note('describe ACLs', () => admin.describeAcls(RULE))
  await note('create ACLs', () => admin.createAcls({ acl: [RULE] }))
  await note('delete ACLs', () => admin.deleteAcls({ filters: [RULE] }))
  await admin.disconnect()
  console.log(JSON.stringify(found))
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
